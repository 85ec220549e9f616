/** What a job has changed, or would change. Of definitions each property; of items counts, the largest changes of numbers, and the first differences. */
import type { schemas } from '@longshore/client';
import { useQuery } from '@tanstack/react-query';
import { ErrorPanel } from '../../components/error-panel.js';
import { type Column, DataTable } from '../../components/table.js';
import { useApi, usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { FieldValue, useFieldName } from '../catalog/field-value.js';
import { ChangeValue } from './change-value.js';
import { DefinitionChanges } from './definition-changes.js';

const FIRST = 20;
const MOST_LARGEST = 8;
const MOST_ATTRIBUTES = 12;

const useText = textsOf('changes', {
  nothing: { en: 'No item is changed.', de: 'Kein Artikel wird geändert.' },
  nothingAtAll: { en: 'Nothing is changed.', de: 'Es wird nichts geändert.' },
  attributes: { en: 'What changes most', de: 'Was sich am meisten ändert' },
  attribute: { en: 'Column', de: 'Spalte' },
  changed: { en: 'Changed', de: 'Geändert' },
  set: { en: 'Set for the first time', de: 'Erstmals gesetzt' },
  cleared: { en: 'Cleared', de: 'Geleert' },
  large: { en: 'By more than 50 %', de: 'Um mehr als 50 %' },
  largest: { en: 'The largest changes', de: 'Die größten Änderungen' },
  item: { en: 'Item', de: 'Artikel' },
  before: { en: 'Before', de: 'Vorher' },
  after: { en: 'After', de: 'Nachher' },
  difference: { en: 'Difference', de: 'Unterschied' },
  first: { en: 'The first differences', de: 'Die ersten Unterschiede' },
  CREATED: {
    en: '{count, plural, one {# new item} other {# new items}}',
    de: '{count, plural, one {# neuer Artikel} other {# neue Artikel}}',
  },
  DELETED: {
    en: '{count, plural, one {# deleted item} other {# deleted items}}',
    de: '{count, plural, one {# gelöschter Artikel} other {# gelöschte Artikel}}',
  },
  more: { en: 'and {count} more', de: 'und {count} weitere' },
});

interface ChangesProps {
  readonly jobId: string;
  /** The deleted items are listed elsewhere on the page. */
  readonly hasOwnListOfDeleted?: boolean;
  /** The job is about definitions: it is not said that no item is changed. */
  readonly isOfDefinitions?: boolean;
}

export function Changes({ jobId, hasOwnListOfDeleted = false, isOfDefinitions = false }: ChangesProps) {
  const t = useText();
  const api = useApi();
  const { stage } = usePresent();
  const { data, error, refetch } = useQuery({
    queryKey: ['changes', stage.name, jobId],
    queryFn: async ({ signal }) => {
      const [summary, first] = await Promise.all([
        api.summarizeJobChanges({ id: jobId }, { signal }),
        api.listJobChanges({ id: jobId, limit: FIRST, types: ['item'] }, { signal }),
      ]);
      return { summary, first: first.data };
    },
  });
  if (error !== null) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return null;
  const { summary, first } = data;
  const { CREATED, UPDATED, DELETED, STATUS } = summary.operations;
  const hasDefinitions = summary.definitions.length > 0;
  if (CREATED + UPDATED + DELETED + STATUS === 0 && (!hasDefinitions || isOfDefinitions)) {
    if (!hasDefinitions) return <p className="note">{t(isOfDefinitions ? 'nothingAtAll' : 'nothing')}</p>;
    return <DefinitionChanges jobId={jobId} counts={summary.definitions} />;
  }
  return (
    <div className="changes">
      {hasDefinitions ? <DefinitionChanges jobId={jobId} counts={summary.definitions} /> : null}
      <Largest summary={summary} />
      <ByAttribute summary={summary} />
      <Named changes={first} operation="CREATED" count={CREATED} />
      {hasOwnListOfDeleted ? null : <Named changes={first} operation="DELETED" count={DELETED} />}
      <Differences changes={first} summary={summary} />
    </div>
  );
}

type Summary = schemas.ChangeSummary;
type Large = NonNullable<Summary['attributes'][number]['numbers']>['largest'][number] & { readonly name: string };

function Largest({ summary }: { readonly summary: Summary }) {
  const t = useText();
  const format = useFormat();
  const largest = summary.attributes
    .flatMap(({ name, numbers }) => (numbers?.largest ?? []).map((one): Large => ({ ...one, name })))
    .sort((a, b) => Math.abs(b.percent ?? Number.POSITIVE_INFINITY) - Math.abs(a.percent ?? Number.POSITIVE_INFINITY))
    .slice(0, MOST_LARGEST);
  if (largest.length === 0) return null;
  const columns: Column<Large>[] = [
    { id: 'sku', title: t('item'), isHeader: true, cell: ({ sku }) => <bdi>{sku}</bdi> },
    { id: 'name', title: t('attribute'), cell: ({ name }) => <bdi>{name}</bdi> },
    { id: 'before', title: t('before'), isNumber: true, cell: ({ before }) => <ChangeValue value={before} isNumber /> },
    { id: 'after', title: t('after'), isNumber: true, cell: ({ after }) => <ChangeValue value={after} isNumber /> },
    {
      id: 'percent',
      title: t('difference'),
      isNumber: true,
      cell: ({ percent }) =>
        percent === null
          ? '–'
          : format.number(percent / 100, { style: 'percent', maximumFractionDigits: 1, signDisplay: 'always' }),
    },
  ];
  return (
    <div className="changes-part">
      <h3>{t('largest')}</h3>
      <DataTable
        isDense
        caption={t('largest')}
        columns={columns}
        rows={largest}
        keyOf={({ sku, name }) => `${sku}:${name}`}
      />
    </div>
  );
}

function ByAttribute({ summary }: { readonly summary: Summary }) {
  const t = useText();
  const format = useFormat();
  const nameOf = useFieldName();
  const all = [
    ...summary.attributes.map((one) => ({ ...one, id: one.name, title: one.name })),
    ...summary.fields.map((one) => ({ ...one, id: `field ${one.name}`, title: nameOf(one.name) })),
  ];
  const rows = all.slice(0, MOST_ATTRIBUTES);
  if (rows.length === 0) return null;
  type Row = (typeof rows)[number];
  const number = (id: 'changed' | 'set' | 'cleared'): Column<Row> => ({
    id,
    title: t(id),
    isNumber: true,
    cell: (row) => format.number(row[id]),
  });
  const columns: Column<Row>[] = [
    { id: 'name', title: t('attribute'), isHeader: true, cell: ({ title }) => <bdi>{title}</bdi> },
    number('changed'),
    number('set'),
    number('cleared'),
    {
      id: 'large',
      title: t('large'),
      isNumber: true,
      cell: (row) =>
        'numbers' in row && row.numbers !== undefined ? format.number(row.numbers.byMoreThan50Percent) : '–',
    },
  ];
  return (
    <div className="changes-part">
      <h3>{t('attributes')}</h3>
      <DataTable isDense caption={t('attributes')} columns={columns} rows={rows} keyOf={({ id }) => id} />
    </div>
  );
}

interface NamedProps {
  readonly changes: readonly schemas.Change[];
  readonly operation: 'CREATED' | 'DELETED';
  readonly count: number;
}

/** Items that are there or gone as a whole: the first of them by name. */
function Named({ changes, operation, count }: NamedProps) {
  const t = useText();
  const format = useFormat();
  const skus = changes.flatMap((change) => (change.operation === operation && change.sku !== null ? [change.sku] : []));
  if (count === 0) return null;
  return (
    <div className="changes-part">
      <h3>{t(operation, { count })}</h3>
      <p className="samples">
        {skus.map((sku) => (
          <bdi key={sku} className="sample">
            {sku}
          </bdi>
        ))}
        {count > skus.length ? (
          <span className="note">{t('more', { count: format.number(count - skus.length) })}</span>
        ) : null}
      </p>
    </div>
  );
}

interface Shown {
  readonly key: string;
  readonly sku: string;
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
  /** It is no value of an attribute. */
  readonly isField: boolean;
}

interface DifferencesProps {
  readonly changes: readonly schemas.Change[];
  readonly summary: Summary;
}

function Differences({ changes, summary }: DifferencesProps) {
  const t = useText();
  const nameOf = useFieldName();
  const ofNumbers = new Set(summary.attributes.filter(({ numbers }) => numbers !== undefined).map(({ name }) => name));
  const side = ({ name, isField }: Shown, value: unknown) =>
    isField ? <FieldValue name={name} value={value} /> : <ChangeValue value={value} isNumber={ofNumbers.has(name)} />;
  const rows = changes.flatMap(({ sku, operation, attributes, fields }, index): Shown[] => {
    const item = sku ?? '';
    if (operation === 'CREATED' || operation === 'DELETED') return [];
    const shown = (isField: boolean) => (entry: [string, schemas.Change['fields'][string]]) => {
      const [name, { before, after }] = entry;
      return { key: `${index}:${isField}:${name}`, sku: item, name, before, after, isField };
    };
    return [...Object.entries(attributes).map(shown(false)), ...Object.entries(fields).map(shown(true))];
  });
  if (rows.length === 0) return null;
  const columns: Column<Shown>[] = [
    { id: 'sku', title: t('item'), isHeader: true, cell: ({ sku }) => <bdi>{sku}</bdi> },
    { id: 'name', title: t('attribute'), cell: ({ name, isField }) => <bdi>{isField ? nameOf(name) : name}</bdi> },
    { id: 'before', title: t('before'), cell: (row) => side(row, row.before) },
    { id: 'after', title: t('after'), cell: (row) => side(row, row.after) },
  ];
  return (
    <div className="changes-part">
      <h3>{t('first')}</h3>
      <DataTable isDense caption={t('first')} columns={columns} rows={rows.slice(0, FIRST)} keyOf={({ key }) => key} />
    </div>
  );
}
