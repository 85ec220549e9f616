/** Files of each kind whose kind is known: the same in every run. */
import type { SourceFormat } from '../../../src/domain/formats/model/source-format.js';
import type { Inspection } from '../../../src/domain/inspection/model/inspection.js';
import { type ExpectedKind, KIND_HEADERS } from './kind-names.js';
import { Random } from './random.js';

export interface KindFile {
  readonly name: string;
  readonly format: SourceFormat;
  readonly bytes: Buffer;
  readonly kind: ExpectedKind;
}

/** How the names of a header are written. */
const SPELLINGS: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) =>
    name
      .toLowerCase()
      .replaceAll(/[\s.]+/g, '_')
      .replace(/_$/, ''),
  (name) => name.toUpperCase(),
];
const DELIMITERS = [';', ',', '\t'];

/** All files. */
function kindFiles(): readonly KindFile[] {
  const random = new Random(27);
  return Object.entries(KIND_HEADERS).flatMap(([kind, headers]) =>
    headers.flatMap((header) => filesOf(header.split(';'), kind as ExpectedKind, random)),
  );
}

function filesOf(columns: readonly string[], kind: ExpectedKind, random: Random): KindFile[] {
  const rows = Array.from({ length: 12 + random.below(30) }, (_, row) =>
    columns.map((name, column) => cellOf(name, column, row, random)),
  );
  const tables = SPELLINGS.map((spell, index): KindFile => {
    const delimiter = DELIMITERS[(index + columns.length) % DELIMITERS.length] as string;
    const header = columns.map(spell);
    const text = [header, ...rows].map((cells) => cells.map((cell) => `"${cell}"`).join(delimiter)).join('\n');
    const format = delimiter === '\t' ? 'TSV' : 'CSV';
    return { name: `${header.join(', ')} (${format})`, format, bytes: Buffer.from(`${text}\n`), kind };
  });
  return kind === 'googleFeed' ? [...tables, feed(columns, rows)] : tables;
}

/** The same as RSS. */
function feed(columns: readonly string[], rows: readonly (readonly string[])[]): KindFile {
  const names = columns.map((name) => `g:${name.toLowerCase().replace(/^g:/, '').replaceAll(' ', '_')}`);
  const items = rows.map((cells) => {
    const elements = cells.map((cell, at) => `<${names[at]}>${cell.replaceAll('&', '&amp;')}</${names[at]}>`);
    return `<item>${elements.join('')}</item>`;
  });
  const text = `<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel><title>Shop</title>${items.join('')}</channel></rss>`;
  return { name: `${columns.join(', ')} (XML)`, format: 'XML', bytes: Buffer.from(text), kind: 'googleFeed' };
}

const WORDS = ['Zelt', 'Plane', 'Lampe', 'Tisch', 'Kocher', 'Matte', 'Seil'];

function cellOf(name: string, column: number, row: number, random: Random): string {
  if (column === 0) return `A-${1000 + row}`;
  if (/datum|date|data |fecha|ab$|at$|日$|from|disponib/i.test(name))
    return `2026-0${1 + random.below(9)}-1${random.below(9)}`;
  if (/mail/i.test(name)) return `p${row}@example.com`;
  if (/link|bild|image|afbeelding/i.test(name)) return `https://shop.example.com/${row}.jpg`;
  if (/preis|price|prix|cena|precio|prezzo|prijs|betrag|total|amount|価格|ek|vk/i.test(name))
    return `${1 + random.below(900)}.${10 + random.below(89)}`;
  if (/bestand|stock|menge|qty|quanti|anzahl|stan|existencias|giacenza|voorraad|aantal|ilość|cantidad|数/i.test(name))
    return String(random.below(300));
  return `${random.pick(WORDS)} ${random.below(40)}`;
}

export interface KindScore {
  /** Files whose header decides their kind, and how many of them were judged rightly. */
  decided: number;
  right: number;
  readonly wrong: string[];
  readonly certainAndWrong: string[];
}

/** Compares the kinds that inspections answer with those that they should. */
export async function scoreKinds(inspect: (file: KindFile) => Promise<Pick<Inspection, 'kind'>>): Promise<KindScore> {
  const score: KindScore = { decided: 0, right: 0, wrong: [], certainAndWrong: [] };
  for (const file of kindFiles()) {
    const found = (await inspect(file)).kind;
    const isOpen = found.verdict === 'ambiguous';
    const isRight = file.kind === 'ambiguous' ? isOpen : !isOpen && found.value === file.kind;
    if (file.kind !== 'ambiguous') {
      score.decided += 1;
      if (isRight) score.right += 1;
    }
    if (isRight) continue;
    const shown = `${file.name}: ${found.value} (${found.verdict}) instead of ${file.kind}`;
    score.wrong.push(shown);
    if (found.verdict === 'certain') score.certainAndWrong.push(shown);
  }
  return score;
}
