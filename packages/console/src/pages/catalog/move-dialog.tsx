/** Says what moving a category does, and asks whether it is meant. */
import { useEffect } from 'react';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { useAttempt } from '../../components/use-attempt.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { useCategoryNames, useWay } from './category-tree.js';
import { useCount } from './use-count.js';

const useText = textsOf('move-dialog', {
  title: { en: 'Move “{name}”?', de: '„{name}“ verschieben?' },
  from: { en: 'From', de: 'Von' },
  to: { en: 'To', de: 'Nach' },
  below: {
    en: '{count, plural, =0 {No category is below it.} one {# category below it moves too.} other {# categories below it move too.}}',
    de: '{count, plural, =0 {Darunter ist keine Kategorie.} one {# Kategorie darunter zieht mit um.} other {# Kategorien darunter ziehen mit um.}}',
  },
  items: {
    en: '{count, plural, =0 {No item is in it.} one {# item stays in it and moves with it.} other {# items stay in it and move with it.}}',
    de: '{count, plural, =0 {Darin ist kein Artikel.} one {# Artikel bleibt darin und zieht mit um.} other {# Artikel bleiben darin und ziehen mit um.}}',
  },
  counting: { en: 'Its items are counted: {count} so far …', de: 'Die Artikel werden gezählt: bis jetzt {count} …' },
  attributes: {
    en: 'It inherits the attributes of its new place: items that lack a mandatory value there become drafts.',
    de: 'Sie erbt die Attribute ihres neuen Ortes: Artikel, denen dort ein Pflichtwert fehlt, werden Entwürfe.',
  },
  move: { en: 'Move', de: 'Verschieben' },
  cancel: { en: 'Leave it where it is', de: 'Dort lassen' },
});

/** What was moved, as it can be taken back. */
export interface Moved {
  readonly key: string;
  readonly name: string;
  /** What it was below before. */
  readonly parent: string | undefined;
  /** The name of what it is below now. */
  readonly to: string;
}

interface MoveDialogProps {
  readonly moved: string;
  readonly parent: string;
  readonly onMove: (moved: Moved) => Promise<void>;
  readonly onClose: () => void;
}

export function MoveDialog({ moved, parent, onMove, onClose }: MoveDialogProps) {
  const t = useText();
  const format = useFormat();
  const { nameOf, pathOf } = useCategoryNames();
  const { attempt, error, isBusy } = useAttempt();
  const way = useWay(moved);
  const place = useWay(parent);
  const from = useWay(way?.node.parent);
  const count = useCount({ in: Number(moved) });
  const { begin } = count;
  useEffect(() => begin(), [begin]);
  if (way === undefined || place === undefined) return null;
  const { node, below } = way;
  const move = () => {
    const done = { key: moved, name: node.name, parent: node.parent, to: nameOf(place.node) };
    return attempt(() => onMove(done));
  };
  return (
    <Dialog title={t('title', { name: node.name })} isOpen onClose={onClose}>
      <dl className="item-facts">
        <div>
          <dt>{t('from')}</dt>
          <dd>{from === undefined ? '–' : pathOf(from)}</dd>
        </div>
        <div>
          <dt>{t('to')}</dt>
          <dd>{pathOf(place)}</dd>
        </div>
      </dl>
      <ul className="facts">
        <li>{t('below', { count: below })}</li>
        {count.number === undefined ? null : (
          <li>
            {count.isCounting
              ? t('counting', { count: format.number(count.number) })
              : t('items', { count: count.number })}
          </li>
        )}
      </ul>
      {node.type === 'PRIMARY' ? <p className="note">{t('attributes')}</p> : null}
      {error === undefined ? null : <ErrorPanel error={error} />}
      <div className="actions">
        <Button kind="primary" isPending={isBusy} isDisabled={isBusy} onPress={() => void move()}>
          {t('move')}
        </Button>
        <Button onPress={onClose}>{t('cancel')}</Button>
      </div>
    </Dialog>
  );
}
