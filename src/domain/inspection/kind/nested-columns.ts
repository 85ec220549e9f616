/** Reads what kind of file it is from the paths of JSON and XML. */
import { quoted } from '../columns/sentences.js';
import { type Answer, certain } from '../model/answer.js';
import type { Column } from '../model/column.js';
import type { FileKind } from '../model/inspection.js';
import { judgeKind } from './judge-kind.js';

const SELECTED = /\[[^\]=]+=((?:[^\]\\]|\\.)*)\](?:\/[^/[\]]+)?$/;
const INDEX = /^\d+$/;

interface KnownRows {
  readonly path: RegExp;
  readonly is: string;
  readonly kind: FileKind;
}

const KNOWN: readonly KnownRows[] = [
  { path: /^BMECAT\/T_UPDATE_PRICES\/(?:PRODUCT|ARTICLE)$/, is: 'an update of prices in BMEcat', kind: 'prices' },
  { path: /^BMECAT\/T_[A-Z_]+\/(?:PRODUCT|ARTICLE)$/, is: 'a catalog in BMEcat', kind: 'items' },
  { path: /^BMECAT\/(?:.*\/)?CATALOG_STRUCTURE$/, is: 'the category tree of a BMEcat catalog', kind: 'categories' },
];

/** @param rowPath the path of the rows */
export function judgeNestedKind(
  columns: readonly Pick<Column, 'name' | 'filled' | 'isBlank'>[],
  rowPath: string,
): Answer<FileKind> {
  const known = KNOWN.find(({ path }) => path.test(rowPath));
  if (known !== undefined) {
    return certain(known.kind, `The file is ${known.is}: its rows are at ${quoted(rowPath)}.`);
  }
  if (columns.some(({ name }) => /(?:^|\/)EtimFeatures\b/.test(name))) {
    return certain<FileKind>('items', 'The file is a catalog in ETIM xChange: its rows have "EtimFeatures".');
  }
  const names = new Map<string, (typeof columns)[number]>();
  for (const column of columns) {
    const name = localName(column.name);
    if (!names.has(name)) names.set(name, { ...column, name });
  }
  return judgeKind([...names.values()]);
}

/** What a path says of the value: its last name, or the value that selects it. */
function localName(path: string): string {
  const selected = SELECTED.exec(path)?.[1];
  if (selected !== undefined) return selected.replaceAll('\\', '');
  const names = path.split('/').filter((name) => !INDEX.test(name));
  return (names.at(-1) ?? path).replace(/^@/, '').replace(/\[.*$/, '');
}
