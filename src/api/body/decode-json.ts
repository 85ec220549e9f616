/** Decodes a small JSON body, and checks what no schema can: UTF-8, storable text, nesting, and exact numbers. */
import { describeRepeated, lossesOf } from '../../domain/formats/json/exact-json.js';
import { describeJsonFault } from '../../domain/formats/json/json-fault.js';
import { keepOpaque } from '../../domain/kernel/keep-opaque.js';
import { HttpProblem } from '../http-problem.js';
import { checkJsonText } from '../json-text.js';
import { decodeUtf8 } from './decode-utf8.js';

/**
 * Bytes as JSON.
 * @param opaque a member that becomes OpaqueJson: what is in it may be given twice
 * @throws HttpProblem 400: not UTF-8, not JSON, nested too deeply, a member given twice, a number that would be rounded,
 *   or text that cannot be stored
 */
export function decodeJson(bytes: Buffer, opaque?: string): unknown {
  const text = decodeUtf8(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new HttpProblem(400, 'BODY_NOT_JSON', `the body is not JSON: ${describeJsonFault(text)}`);
  }
  checkJsonText(value);
  const losses = lossesOf(text, value);
  const repeated = losses.repeated.filter(({ within }) => !isWithin(within, opaque));
  if (repeated.length > 0) {
    const message = `the body has members that are given more than once: ${describeRepeated(repeated)}; give each once`;
    throw new HttpProblem(400, 'DUPLICATE_MEMBER', message);
  }
  const [rounded] = losses.rounded.filter(({ at }) => !isWithin(at, opaque));
  if (rounded !== undefined) {
    const message = `the number ${rounded.text.slice(0, 60)} (${rounded.at.slice(0, 100)}) cannot be kept as it is written: write one of at most 15 digits`;
    throw new HttpProblem(400, 'NUMBER_NOT_EXACT', message);
  }
  if (opaque !== undefined) keepOpaque(value, text, opaque);
  return value;
}

/** Whether a place, such as `[0].payload.a`, lies in the member of this name of the body, or of one of its elements. */
function isWithin(place: string, member: string | undefined): boolean {
  if (member === undefined) return false;
  const [first] = place.replace(/^\[\d+\]\.?/, '').split(/[.[]/);
  return first === member;
}
