/** Says which letters beside the numbers of a column are units, and whether these are several. */
import { affixKind, MINUS_BEHIND, withoutCents } from '../cells/affixes.js';
import type { CountedNumber } from './judge-numbers.js';
import { inCell } from './sentences.js';

/** Without numbers whose letters are no unit: `100A`, `100B`, `100C` are codes. */
export function withUnits(all: readonly CountedNumber[]): CountedNumber[] {
  const counts = new Map<string, number>();
  for (const { trait, signature } of all) {
    if (trait.suffix !== '') counts.set(trait.suffix, (counts.get(trait.suffix) ?? 0) + signature.count);
  }
  const suffixed = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const most = Math.max(0, ...counts.values());
  const isUnit = (suffix: string) => {
    const isMost = (counts.get(suffix) ?? 0) === most && most * 10 >= suffixed * 7;
    if (affixKind(suffix) === 'unknown')
      return isMost && most >= 5 && /^[\p{L}%°.²³/]+$/u.test(suffix) && suffix.length > 1;
    return suffix.length > 1 || !/[\p{Script=Latin}\p{Script=Cyrillic}]/u.test(suffix) || isMost;
  };
  return all.filter(({ trait }) => trait.suffix === '' || isUnit(trait.suffix));
}

/** Amounts in different units cannot be compared once the units are removed. */
export function mixedUnits(found: readonly CountedNumber[], count: number) {
  const bySuffix = new Map<string, CountedNumber & { count: number }>();
  for (const number of found) {
    const affix = (number.trait.prefix || withoutCents(number.trait.suffix)).toLowerCase();
    if (affix === '' || affix === MINUS_BEHIND) continue;
    const known = bySuffix.get(affix);
    bySuffix.set(affix, { ...(known ?? number), count: (known?.count ?? 0) + number.signature.count });
  }
  const [first, second] = [...bySuffix.values()].sort((a, b) => b.count - a.count);
  if (first === undefined || second === undefined || second.count * 20 < count) return null;
  const reason = `The numbers have different units: ${inCell(first.signature)}, and ${inCell(second.signature)}.`;
  return { reason, example: second.signature.examples[0] };
}
