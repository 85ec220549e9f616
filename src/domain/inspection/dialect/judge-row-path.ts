/** Judges where the rows of a JSON or XML file are. */
import type { RowPath } from '../../formats/table/row-path.js';
import { quoted } from '../columns/sentences.js';
import { type Answer, ambiguous, certain, likely } from '../model/answer.js';

const MOST_RIVALS = 5;
/** A path that is less plausible than this share of the best is no rival; one that is as plausible as the second share may be meant. */
const RIVAL_FROM = 0.1;
const AMBIGUOUS_FROM = 0.75;

/** @param paths the most plausible first */
export function judgeRowPath(paths: readonly RowPath[]): Answer<string> {
  const [best, ...others] = paths;
  if (best === undefined) return ambiguous<string>(null, 'No object or element of the file has values.', []);
  const rivals = others.filter(({ score }) => score >= best.score * RIVAL_FROM).slice(0, MOST_RIVALS);
  const [rival] = rivals;
  const there = `${best.rows === 1 ? 'There is 1 row' : `There are ${best.rows} rows`} at ${quoted(best.path)}, with ${best.values} ${best.values === 1 ? 'value' : 'different values'}${best.rows === 1 ? '' : ' in them'}`;
  if (best.isKnown) return certain(best.path, `${there}: this is where files of this kind have their rows.`);
  if (rival === undefined) {
    const reason = `${there}, and nothing else in the file is repeated with so many.`;
    return best.rows > 1 ? certain(best.path, reason) : likely(best.path, `${there}.`);
  }
  const reason = `${there}; at ${quoted(rival.path)}, there ${rival.rows === 1 ? 'is 1' : `are ${rival.rows}`}, with ${rival.values}.`;
  const given = rivals.map(({ path }) => path);
  return rival.score >= best.score * AMBIGUOUS_FROM || best.rows === 1
    ? ambiguous(best.path, reason, given)
    : likely(best.path, reason, given);
}
