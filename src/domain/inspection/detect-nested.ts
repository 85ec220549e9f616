/** Finds out how a JSON or XML file is written: its encoding, and the path of its rows. */
import { FILE_FORMATS } from '../formats/file-format.js';
import { RejectedInput } from '../formats/model/rejected-input.js';
import { findRows } from '../formats/table/find-rows.js';
import type { RowPath } from '../formats/table/row-path.js';
import type { TableInput } from '../formats/table/table.js';
import { declaredEncoding } from '../formats/text/declared-encoding.js';
import { encodingNamed } from '../formats/text/encoding-names.js';
import { quoted } from './columns/sentences.js';
import { type AskedForm, type DetectedFormat, saidEncoding } from './detect-format.js';
import { DECLARED } from './encoding/declared.js';
import { judgeEncoding } from './encoding/judge-encoding.js';
import { readEvidence, type TextEvidence } from './encoding/read-evidence.js';
import { type Answer, ambiguous, certain, likely } from './model/answer.js';

/** @throws RejectedInput for a file without values, or one that is not well-formed */
export async function detectNestedFormat(input: TableInput, { rowPath: asked }: AskedForm): Promise<DetectedFormat> {
  const evidence = await readEvidence(input);
  if (evidence.bytes === 0) throw new RejectedInput('EMPTY_FILE', 'The file is empty.');
  const encoding = await encodingOf(input, evidence);
  const options = { encoding: encoding.value ?? undefined };
  const rowPath =
    asked === undefined
      ? judgeRowPath(await findRows({ ...input, options: { ...input.options, ...options } }))
      : certain(asked, 'The rows at this path were asked for.');
  return {
    answers: {
      ...{ encoding, sameEncodings: [], delimiter: null, quote: null, escape: null, sheets: null, sheetChoice: null },
      headerRow: certain<number>(null, 'The file has no header: the paths of its values name the columns.'),
      headerRows: 1,
      rowPath,
    },
    options: { ...options, rowPath: rowPath.value ?? undefined },
  };
}

/** What an XML document declares is believed, unless its bytes contradict it. */
async function encodingOf(input: TableInput, evidence: TextEvidence): Promise<Answer<string>> {
  const said = saidEncoding(input, evidence.head);
  if (said !== null) return said;
  const declared = FILE_FORMATS[input.format].rows === 'elements' ? declaredEncoding(evidence.head) : undefined;
  const isMarked = evidence.head[0] === 0xff || evidence.head[0] === 0xfe || evidence.head[0] === 0xef;
  if (declared === undefined || isMarked) return judgeEncoding(evidence);
  const encoding = encodingNamed(declared);
  if (encoding === 'utf-8' && !evidence.isUtf8) return judgeEncoding(evidence);
  return certain(encoding ?? declared, `${DECLARED} that the encoding is "${declared}".`);
}

const MOST_RIVALS = 5;
/** A path that is less plausible than this share of the best is no rival; one that is as plausible as the second share may be meant. */
const RIVAL_FROM = 0.1;
const AMBIGUOUS_FROM = 0.75;

/** @param paths the most plausible first */
function judgeRowPath(paths: readonly RowPath[]): Answer<string> {
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
