/** The attributes of a stage: found by name and type, looked at and changed. */
import type { Attribute } from '@longshore/client';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Button, ButtonLink } from '../../components/button.js';
import { ChoiceInput } from '../../components/choice-input.js';
import { Badge, EmptyState, Progress } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { Page } from '../../components/page.js';
import { SearchField } from '../../components/search-field.js';
import { type Column, DataTable } from '../../components/table.js';
import { forgetDefinitions } from '../../jobs/definitions-of-jobs.js';
import { useMay, usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { AttributeDialog } from './attribute-dialog.js';
import { useRoleText } from './attribute-roles.js';
import { TYPES, useTypeText } from './attribute-types.js';
import { DeleteAttribute } from './delete-attribute.js';
import { useDefinitions } from './use-attributes.js';

const MOST_SHOWN = 200;
const ROLES = ['sku', 'title', 'image', 'active', 'isVariant'] as const;

const useText = textsOf('attributes-page', {
  title: { en: 'Attributes', de: 'Attribute' },
  note: {
    en: 'Properties that items can have: each has a type and rules for its values.',
    de: 'Eigenschaften, die Artikel haben können: Jede hat einen Typ und Regeln für ihre Werte.',
  },
  new: { en: 'New attribute', de: 'Neues Attribut' },
  search: { en: 'Search', de: 'Suchen' },
  type: { en: 'Type', de: 'Typ' },
  all: { en: 'All', de: 'Alle' },
  name: { en: 'Name', de: 'Name' },
  rules: { en: 'Rules', de: 'Regeln' },
  options: { en: 'Options', de: 'Optionen' },
  role: { en: 'Role', de: 'Rolle' },
  required: { en: 'required', de: 'erforderlich' },
  unique: { en: 'unique', de: 'eindeutig' },
  inheritable: { en: 'inherited by variants', de: 'wird an Varianten vererbt' },
  loading: { en: 'The attributes are loaded', de: 'Die Attribute werden geladen' },
  none: { en: 'There are no attributes yet', de: 'Hier gibt es noch keine Attribute' },
  noneHelp: {
    en: 'An import creates those that its file needs. Or create the first one here.',
    de: 'Ein Import legt die an, die seine Datei braucht. Oder legen Sie hier das erste an.',
  },
  import: { en: 'Import a file', de: 'Datei importieren' },
  notFound: { en: 'No attribute is like this', de: 'Kein Attribut passt dazu' },
  notFoundHelp: { en: 'Search for a shorter part of its name.', de: 'Suchen Sie nach einem kürzeren Teil des Namens.' },
  more: { en: '{count} more: search for them.', de: '{count} weitere: Suchen Sie danach.' },
});

export function AttributesPage() {
  const t = useText();
  const type = useTypeText();
  const roleText = useRoleText();
  const format = useFormat();
  const { stage } = usePresent();
  const mayWrite = useMay('catalog:write');
  const queries = useQueryClient();
  const { data, error, refetch } = useDefinitions();
  const search = useSearch({ from: '/$stage/attributes' });
  const navigate = useNavigate({ from: '/$stage/attributes' });
  const { q = '', type: kind = 'ALL' } = search;
  const narrow = (change: Partial<typeof search>, replace: boolean) => {
    const { q: part = '', type = 'ALL' } = { ...search, ...change };
    const next = { ...(part === '' ? {} : { q: part }), ...(type === 'ALL' ? {} : { type }) };
    void navigate({ search: next, replace });
  };
  const [shown, setShown] = useState<Attribute | 'new'>();
  const [leaving, setLeaving] = useState<Attribute>();
  const wanted = q.trim().toLowerCase();
  const found = (data?.attributes ?? []).filter(
    (one) =>
      (kind === 'ALL' || one.type === kind) && `${one.name} ${one.description ?? ''}`.toLowerCase().includes(wanted),
  );
  const roleOf = (name: string) => ROLES.flatMap((role) => (data?.roles[role] === name ? [roleText(role)] : []));
  const columns: Column<Attribute>[] = [
    {
      id: 'name',
      title: t('name'),
      isHeader: true,
      cell: (one) => (
        <button type="button" className="link-button" onClick={() => setShown(one)}>
          <bdi>{one.name}</bdi>
        </button>
      ),
    },
    { id: 'type', title: t('type'), cell: (one) => type(one.type) },
    {
      id: 'rules',
      title: t('rules'),
      isMinor: true,
      cell: ({ validation }) => (
        <span className="badges">
          {(['required', 'unique', 'inheritable'] as const).map((rule) =>
            validation[rule] === true ? (
              <Badge key={rule} tone="neutral">
                {t(rule)}
              </Badge>
            ) : null,
          )}
        </span>
      ),
    },
    {
      id: 'options',
      title: t('options'),
      isNumber: true,
      isMinor: true,
      cell: ({ options }) => (options === null ? '–' : format.number(options.length)),
    },
    { id: 'role', title: t('role'), isMinor: true, cell: ({ name }) => roleOf(name).join(', ') || '–' },
  ];
  const create = mayWrite ? (
    <Button kind="primary" onPress={() => setShown('new')}>
      {t('new')}
    </Button>
  ) : null;
  return (
    <Page title={t('title')} note={t('note')} actions={create}>
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null ? <Progress label={t('loading')} share={undefined} /> : null}
      {data === undefined ? null : data.attributes.length === 0 ? (
        <EmptyState
          title={t('none')}
          icon="tag"
          action={
            mayWrite ? (
              <ButtonLink kind="primary" to="/$stage/imports/new" params={{ stage: stage.name }}>
                {t('import')}
              </ButtonLink>
            ) : null
          }
        >
          {t('noneHelp')}
        </EmptyState>
      ) : (
        <>
          <div className="filters">
            <SearchField label={t('search')} text={q} onSearch={(text) => narrow({ q: text }, q !== '')} />
            <ChoiceInput
              label={t('type')}
              value={kind}
              choices={[{ id: 'ALL', label: t('all') }, ...TYPES.map((id) => ({ id, label: type(id) }))]}
              onChange={(chosen) => narrow({ type: chosen }, false)}
            />
          </div>
          {found.length === 0 ? (
            <EmptyState title={t('notFound')} icon="question">
              {t('notFoundHelp')}
            </EmptyState>
          ) : (
            <DataTable
              isDense
              caption={t('title')}
              columns={columns}
              rows={found.slice(0, MOST_SHOWN)}
              keyOf={({ id }) => id}
            />
          )}
          {found.length > MOST_SHOWN ? (
            <p className="note">{t('more', { count: format.number(found.length - MOST_SHOWN) })}</p>
          ) : null}
        </>
      )}
      {shown === undefined ? null : (
        <AttributeDialog
          attribute={shown === 'new' ? undefined : shown}
          onClose={() => setShown(undefined)}
          onWritten={() => void forgetDefinitions(queries, stage.name)}
          {...(shown === 'new'
            ? {}
            : {
                onDelete: () => {
                  setShown(undefined);
                  setLeaving(shown);
                },
              })}
        />
      )}
      {leaving === undefined ? null : (
        <DeleteAttribute
          attribute={leaving}
          onChanged={() => void forgetDefinitions(queries, stage.name)}
          onClose={() => setLeaving(undefined)}
        />
      )}
    </Page>
  );
}
