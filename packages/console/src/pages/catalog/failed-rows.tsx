/** Rows that were refused, each with its reasons. */
import type { FailedRow } from '@longshore/client';
import { type Column, DataTable } from '../../components/table.js';
import { withoutTurns } from '../../texts/set-apart.js';
import { textsOf } from '../../texts/texts.js';
import { useFieldName } from './field-value.js';

const MOST_SHOWN = 100;
const LONGEST = 120;

const useText = textsOf('failed-bulk-rows', {
  trial: {
    en: '{count, plural, one {# item would be refused} other {# items would be refused}}',
    de: '{count, plural, one {# Artikel würde abgelehnt} other {# Artikel würden abgelehnt}}',
  },
  written: {
    en: '{count, plural, one {# row was refused} other {# rows were refused}}',
    de: '{count, plural, one {# Zeile wurde abgelehnt} other {# Zeilen wurden abgelehnt}}',
  },
  key: { en: 'Row', de: 'Zeile' },
  place: { en: 'Column', de: 'Spalte' },
  value: { en: 'Value', de: 'Wert' },
  why: { en: 'Why', de: 'Warum' },
});

interface FailedRowsProps {
  readonly failed: readonly FailedRow[];
  readonly isTrial?: boolean;
}

export function FailedRows({ failed, isTrial = false }: FailedRowsProps) {
  const t = useText();
  const nameOf = useFieldName();
  if (failed.length === 0) return null;
  const rows = failed
    .slice(0, MOST_SHOWN)
    .flatMap(({ key, errors }) => errors.map((error, index) => ({ id: `${key}:${index}`, key, ...error })));
  type Row = (typeof rows)[number];
  const columns: Column<Row>[] = [
    { id: 'key', title: t('key'), isHeader: true, cell: ({ key }) => <bdi>{key ?? '–'}</bdi> },
    { id: 'place', title: t('place'), cell: ({ path }) => <bdi>{placeOf(path, nameOf)}</bdi> },
    {
      id: 'value',
      title: t('value'),
      isMinor: true,
      cell: ({ value }) => <bdi>{(value ?? '–').slice(0, LONGEST)}</bdi>,
    },
    { id: 'why', title: t('why'), cell: ({ message }) => <span lang="en">{withoutTurns(message)}</span> },
  ];
  return (
    <div className="changes-part">
      <h3 className="bad-number">{t(isTrial ? 'trial' : 'written', { count: failed.length })}</h3>
      <DataTable isDense caption={t('why')} columns={columns} rows={rows} keyOf={({ id }) => id} />
    </div>
  );
}

/** An attribute may be called as a field is. */
function placeOf(path: string | null | undefined, nameOf: (field: string) => string): string {
  if (path === null || path === undefined) return '–';
  const attribute = /^attributes\.(.*)$/s.exec(path)?.[1];
  return attribute ?? nameOf(path);
}
