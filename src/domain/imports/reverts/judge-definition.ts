/** Whether somebody else has changed a definition since, so that a revert leaves it as it is. */
import type { DefinitionChanger } from '../../changes/changes-by-definition.js';
import { type Image, isSameImage } from '../../changes/model/definition-image.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import type { DefinitionRow } from './definition-row.js';

/** Whether a definition is as the jobs have left it. */
export function isAsLeft({ kind, after, broken }: DefinitionRow, present: Image | undefined): boolean {
  return !broken && isSameImage(kind, present, after);
}

/** Whether a revert has nothing to do. */
export function isAsBefore({ kind, before }: DefinitionRow, present: Image | undefined): boolean {
  return isSameImage(kind, before, present);
}

/** @param changer who has changed it last; undefined: it is not known */
export function definitionChanged(
  { kind, after }: DefinitionRow,
  present: Image | undefined,
  changer: DefinitionChanger | undefined,
): RowProblem {
  const how = present === undefined ? 'deleted' : after === null ? 'created again' : 'changed again';
  const jobId = changer?.jobId ?? null;
  const whom = changer === undefined ? '' : jobId === null ? ' by a request' : ` by job ${jobId}`;
  const advice = jobId === null ? '' : '; revert that job first, or both together';
  const message = `the ${kind} was ${how}${whom} afterwards, so that it is kept as it is${advice}`;
  return { code: 'CHANGED_SINCE', column: null, message, ...(jobId === null ? {} : { value: jobId }) };
}
