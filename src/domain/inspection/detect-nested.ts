/** Finds out how a JSON or XML file is written: its encoding, and the path of its rows. */
import { FILE_FORMATS } from '../formats/file-format.js';
import { RejectedInput } from '../formats/model/rejected-input.js';
import { findRows } from '../formats/table/find-rows.js';
import type { TableInput } from '../formats/table/table.js';
import { declaredEncoding } from '../formats/text/declared-encoding.js';
import { encodingNamed } from '../formats/text/encoding-names.js';
import type { DetectedFormat } from './detect-format.js';
import { judgeRowPath } from './dialect/judge-row-path.js';
import { DECLARED } from './encoding/declared.js';
import { judgeEncoding } from './encoding/judge-encoding.js';
import { readEvidence, type TextEvidence } from './encoding/read-evidence.js';
import { type Answer, certain } from './model/answer.js';

/** @param asked where the rows are, if that is known @throws RejectedInput for a file without values, or one that is not well-formed */
export async function detectNestedFormat(input: TableInput, asked?: string): Promise<DetectedFormat> {
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
      ...{ encoding, delimiter: null, quote: null },
      headerRow: certain<number>(null, 'The file has no header: the paths of its values name the columns.'),
      rowPath,
    },
    options: { ...options, rowPath: rowPath.value ?? undefined },
  };
}

/** What an XML document declares is believed, unless its bytes contradict it. */
async function encodingOf(input: TableInput, evidence: TextEvidence): Promise<Answer<string>> {
  const named = input.options.encoding;
  if (named !== undefined) return certain(named, 'The job names the encoding.');
  const declared = FILE_FORMATS[input.format].rows === 'elements' ? declaredEncoding(evidence.head) : undefined;
  const isMarked = evidence.head[0] === 0xff || evidence.head[0] === 0xfe || evidence.head[0] === 0xef;
  if (declared === undefined || isMarked) return judgeEncoding(evidence);
  const encoding = encodingNamed(declared);
  if (encoding === 'utf-8' && !evidence.isUtf8) return judgeEncoding(evidence);
  return certain(encoding ?? declared, `${DECLARED} that the encoding is "${declared}".`);
}
