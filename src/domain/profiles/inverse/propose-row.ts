/**
 * Proposes what a row of the file may have been: each source gets a text of which its rule makes the cell of ours. What contradicts
 * another rule is found afterwards, when all rules are applied to the row.
 */
import type { WrittenRule, WrittenRules } from './written-rules.js';

type CanWrite = (text: string, place: number) => boolean;

/** Fills a row, whose cells are empty, as far as they can be known. */
export type ProposeRow = (cells: readonly string[], row: string[]) => void;

/** @param canWrite whether a text can stand at a place of a row @param clears whether `NULL` clears the cells of a rule */
export function compileProposals(
  { rules }: Pick<WrittenRules, 'rules'>,
  canWrite: CanWrite,
  clears: (rule: WrittenRule) => boolean,
): ProposeRow {
  const whole = rules.filter(({ places, split }) => places.length === 1 && split === undefined);
  const parts = partGroups(rules.filter(({ places, split }) => places.length === 1 && split !== undefined));
  const several = rules.filter(({ places }) => places.length > 1);

  /** Whether the rule makes the cell of a row in which the place has the text; if not, the row is as it was. */
  function fits(rule: WrittenRule, row: string[], place: number, text: string | null, cell: string): boolean {
    if (text === null || text === '' || !canWrite(text, place)) return false;
    row[place] = text;
    if (rule.forward(row) === cell) return true;
    row[place] = '';
    return false;
  }

  function fill(rule: WrittenRule, row: string[], place: number, cell: string): boolean {
    return fits(rule, row, place, rule.back(cell), cell) || fits(rule, row, place, cell, cell);
  }

  return (cells, row) => {
    for (const rule of whole) {
      const [place = 0] = rule.places;
      const cell = cells[rule.index] ?? '';
      if (row[place] !== '') continue;
      if (cell !== '') fill(rule, row, place, cell);
      else if (rule.forward(row) !== '' && clears(rule)) fill(rule, row, place, 'NULL');
    }
    for (const group of parts) fillParts(group, cells, row, canWrite);
    for (const rule of several) {
      const cell = cells[rule.index] ?? '';
      if (cell === '' || rule.forward(row) === cell) continue;
      const place = rule.places.find((one) => row[one] === '');
      if (place === undefined) continue;
      for (const text of [rule.back(cell), cell]) {
        if (fits(rule, row, place, text === null ? null : remainder(rule, row, place, text), cell)) break;
      }
    }
  };
}

/** What a source adds to a joined text whose other sources are known. */
function remainder({ places, joinWith }: WrittenRule, row: readonly string[], place: number, text: string): string {
  if (joinWith === undefined) return text;
  const at = places.indexOf(place);
  const known = (some: readonly number[]) => some.map((one) => row[one] ?? '').filter((one) => one !== '');
  const before = known(places.slice(0, at))
    .map((one) => one + joinWith)
    .join('');
  const behind = known(places.slice(at + 1))
    .map((one) => joinWith + one)
    .join('');
  const isAround = text.length > before.length + behind.length && text.startsWith(before) && text.endsWith(behind);
  return isAround ? text.slice(before.length, text.length - behind.length) : text;
}

/** The rules that divide one source by one separator, by their parts; every part up to the last has a rule. */
interface PartGroup {
  readonly place: number;
  readonly separator: string;
  readonly rules: readonly WrittenRule[];
}

/** Sources of which a part has no rule are not written, because a part in front cannot be left out. */
function partGroups(rules: readonly WrittenRule[]): PartGroup[] {
  const bySource = new Map<string, { place: number; separator: string; rules: WrittenRule[] }>();
  for (const rule of rules) {
    const [place = 0] = rule.places;
    const { separator, part = 1 } = rule.split ?? {};
    if (separator === undefined) continue;
    const key = `${place} ${separator}`;
    const group = bySource.get(key) ?? { place, separator, rules: [] };
    group.rules[part - 1] ??= rule;
    bySource.set(key, group);
  }
  return [...bySource.values()].filter((group) => Object.keys(group.rules).length === group.rules.length);
}

function fillParts(
  { place, separator, rules }: PartGroup,
  cells: readonly string[],
  row: string[],
  canWrite: CanWrite,
): void {
  if (row[place] !== '') return;
  const texts = rules.map((rule) => {
    const cell = cells[rule.index] ?? '';
    return cell === '' ? '' : (rule.back(cell) ?? cell);
  });
  while (texts.at(-1) === '') texts.pop();
  const text = texts.join(separator);
  if (text === '' || !canWrite(text, place)) return;
  row[place] = text;
  if (rules.some((rule) => rule.forward(row) !== (cells[rule.index] ?? ''))) row[place] = '';
}
