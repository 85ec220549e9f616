/** Deletes an attribute, which the API does only where no item has a value of it: how many have one is said before. */
import type { Attribute } from '@longshore/client';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useApi, usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { DeleteDialog } from './delete-dialog.js';
import type { ItemFilter } from './item-search.js';
import { useCount } from './use-count.js';

const useText = textsOf('delete-attribute', {
  values: {
    en: '{count, plural, =0 {No item has a value of it.} one {# item has a value of it: clear it first.} other {# items have a value of it: clear these first.}}',
    de: '{count, plural, =0 {Kein Artikel hat einen Wert davon.} one {# Artikel hat einen Wert davon: Leeren Sie ihn zuerst.} other {# Artikel haben einen Wert davon: Leeren Sie diese zuerst.}}',
  },
  counting: { en: 'Its values are counted: {count} so far …', de: 'Die Werte werden gezählt: bis jetzt {count} …' },
  show: { en: 'Show these items', de: 'Diese Artikel zeigen' },
  goes: {
    en: 'Categories that have it lose it, and so do profiles that write it: their next file says so.',
    de: 'Kategorien, die es haben, verlieren es, und Profile, die es schreiben, auch: Die nächste Datei sagt es.',
  },
});

interface DeleteAttributeProps {
  readonly attribute: Attribute;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

export function DeleteAttribute({ attribute: { id, name }, onChanged, onClose }: DeleteAttributeProps) {
  const t = useText();
  const api = useApi();
  const format = useFormat();
  const { stage } = usePresent();
  const search: ItemFilter = { where: [{ name, op: 'EXISTS', value: true }] };
  const { begin, number, isCounting } = useCount(search);
  useEffect(() => begin(), [begin]);
  return (
    <DeleteDialog
      name={name}
      send={(dryRun, signal) => api.bulk('createAttributes', [{ action: 'DELETE', id }], { dryRun, signal })}
      isOfDefinitions
      onChanged={onChanged}
      onClose={onClose}
    >
      <p className="note">{t('goes')}</p>
      {number === undefined ? null : (
        <p>
          {isCounting ? t('counting', { count: format.number(number) }) : t('values', { count: number })}{' '}
          {number === 0 ? null : (
            <Link to="/$stage/items" params={{ stage: stage.name }} search={search}>
              {t('show')}
            </Link>
          )}
        </p>
      )}
    </DeleteDialog>
  );
}
