/** The columns of the file beside what becomes of them: what is least sure stands first. */
import type { schemas } from '@longshore/client';
import { useState } from 'react';
import { Badge, Section, type Tone } from '../../components/content.js';
import { type Column, DataTable } from '../../components/table.js';
import { withoutTurns } from '../../texts/set-apart.js';
import { textsOf } from '../../texts/texts.js';
import { type Mapping, targetOf } from './mapping.js';
import { TargetPick } from './target-pick.js';

const useText = textsOf('mapping-table', {
  title: { en: 'What becomes of each column', de: 'Was aus jeder Spalte wird' },
  note: {
    en: 'Choose another one where this is wrong: type a part of its name. What is least sure stands first.',
    de: 'Wählen Sie etwas anderes, wo es nicht stimmt: Tippen Sie einen Teil des Namens. Was am unsichersten ist, steht zuerst.',
  },
  from: { en: 'In your file', de: 'In Ihrer Datei' },
  samples: { en: 'Values', de: 'Werte' },
  to: { en: 'Becomes', de: 'Wird zu' },
  sure: { en: 'How sure', de: 'Wie sicher' },
  certain: { en: 'certain', de: 'sicher' },
  likely: { en: 'likely', de: 'wahrscheinlich' },
  ambiguous: { en: 'asked above', de: 'oben gefragt' },
  answered: { en: 'answered', de: 'beantwortet' },
  why: { en: 'Why', de: 'Warum' },
  whyOf: { en: 'Why: {column}', de: 'Warum: {column}' },
  ignored: { en: 'Not imported', de: 'Nicht importieren' },
  key: { en: 'the key of the item', de: 'der Schlüssel des Artikels' },
  category: { en: 'its category', de: 'seine Kategorie' },
  parent: { en: 'its parent', de: 'sein Hauptartikel' },
  image: { en: 'an image', de: 'ein Bild' },
  newAttribute: { en: 'new attribute, {type}', de: 'neues Attribut, {type}' },
  TEXT: { en: 'text', de: 'Text' },
  INTEGER: { en: 'whole number', de: 'ganze Zahl' },
  DECIMAL: { en: 'number', de: 'Zahl' },
  BOOLEAN: { en: 'yes or no', de: 'ja oder nein' },
  DATETIME: { en: 'date', de: 'Datum' },
  OPTIONS: { en: 'list of values', de: 'Werteliste' },
  URL: { en: 'web address', de: 'Webadresse' },
  SERIAL: { en: 'serial number', de: 'laufende Nummer' },
});

type Line = schemas.ImportProposal['lines'][number];

const SURENESS: Readonly<Record<Line['verdict'], number>> = { ambiguous: 0, likely: 1, certain: 2 };
const TONES: Readonly<Record<Line['verdict'], Tone>> = { ambiguous: 'warn', likely: 'neutral', certain: 'good' };
const LONGEST_SAMPLE = 42;

interface MappingTableProps {
  readonly mapping: Mapping;
  readonly onTarget: (from: string, to: string | null) => void;
}

export function MappingTable({ mapping, onTarget }: MappingTableProps) {
  const t = useText();
  const lines = mapping.proposal.lines.filter(({ from }) => from !== null);
  // As it was first: rows that move while somebody goes through them would take the focus away.
  const [order] = useState(() => orderOf(lines));
  const placeOf = (line: Line) => order.get(String(line.from)) ?? order.size;
  const rows = [...lines].sort((a, b) => placeOf(a) - placeOf(b));
  const isAnswered = ({ from }: Line) =>
    mapping.asked.some(({ column, answer }) => answer !== undefined && [from].flat().includes(column));
  const columns: Column<Line>[] = [
    { id: 'from', title: t('from'), isHeader: true, cell: ({ from }) => <bdi>{[from].flat().join(' + ')}</bdi> },
    {
      id: 'samples',
      title: t('samples'),
      isMinor: true,
      cell: ({ samples }) => (
        <span className="samples">
          {samples.slice(0, 3).map((sample) => (
            <bdi key={sample} className="sample">
              {sample.length > LONGEST_SAMPLE ? `${sample.slice(0, LONGEST_SAMPLE)}…` : sample}
            </bdi>
          ))}
        </span>
      ),
    },
    {
      id: 'to',
      title: t('to'),
      cell: (line) => <Target line={line} mapping={mapping} onTarget={onTarget} />,
    },
    {
      id: 'sure',
      title: t('sure'),
      cell: (line) => (
        <span className="sureness">
          {line.verdict === 'ambiguous' && isAnswered(line) ? (
            <Badge tone="good">{t('answered')}</Badge>
          ) : (
            <Badge tone={TONES[line.verdict]}>{t(line.verdict)}</Badge>
          )}
          <details>
            <summary aria-label={t('whyOf', { column: [line.from].flat().join(' + ') })}>{t('why')}</summary>
            <p className="small" lang="en">
              {withoutTurns(line.reason)}
            </p>
          </details>
        </span>
      ),
    },
  ];
  return (
    <Section title={t('title')} note={t('note')}>
      <DataTable caption={t('title')} columns={columns} rows={rows} keyOf={({ from }) => String(from)} />
    </Section>
  );
}

/** What is least sure stands first. */
function orderOf(lines: readonly Line[]): ReadonlyMap<string, number> {
  const sorted = [...lines].sort((a, b) => SURENESS[a.verdict] - SURENESS[b.verdict]);
  return new Map(sorted.map(({ from }, place) => [String(from), place]));
}

function Target({ line, mapping, onTarget }: MappingTableProps & { readonly line: Line }) {
  const t = useText();
  const { from, rivals } = line;
  const kind = useKind(line, mapping);
  const present = targetOf(mapping, from ?? '');
  const to = present === undefined ? line.to : present;
  if (typeof from !== 'string') return <span>{to ?? t('ignored')}</span>;
  const proposed = [line.to, ...rivals.map((rival) => rival.to)].filter((name): name is string => name !== null);
  return (
    <span className="target">
      <TargetPick
        from={from}
        present={to}
        proposed={proposed}
        fileType={mapping.proposal.fileType}
        onPick={(chosen) => onTarget(from, chosen)}
      />
      {to === null ? null : <span className="small">{kind}</span>}
    </span>
  );
}

function useKind({ as, isNew, to }: Line, { proposal }: Mapping): string {
  const t = useText();
  if (as === 'key' || as === 'category' || as === 'parent') return t(as);
  if (!isNew) return '';
  const type = proposal.missing.attributes.find(({ name }) => name === to)?.type ?? 'TEXT';
  return t('newAttribute', { type: t(type) });
}
