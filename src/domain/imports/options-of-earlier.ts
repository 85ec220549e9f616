/** Completes the options of a file by those of an earlier job. */
import type { SourceFormat } from '../formats/model/source-format.js';
import { withoutApproval } from '../job-model/approval.js';
import { unfitOptions, withoutContradictions } from './execute/fitting-options.js';
import { type ImportOptions, keptOptions } from './model/import-options.js';

/**
 * The options with those of an earlier job where the announcement left them out, as far as files of the format have
 * them.
 */
export function withOptionsOf(options: ImportOptions, earlier: ImportOptions, jobId: string, format: SourceFormat) {
  const { implied = [], ...given } = options;
  const own = Object.fromEntries(
    Object.entries(given).filter(([name, value]) => value !== undefined && !implied.includes(name)),
  );
  const former = withoutApproval(earlier);
  // Rows that failed are no whole truth.
  const {
    implied: _,
    retryOf: __,
    retry: ___,
    created: ____,
    snapshot: _____,
    removal: ______,
    scopeKey: _______,
    ...brought
  } = withoutContradictions(own, former);
  const refused = unfitOptions(format, brought).map(({ option }): string => option);
  const merged = {
    ...Object.fromEntries(Object.entries(brought).filter(([name]) => !refused.includes(name))),
    ...own,
    // An approval is that of the job, not of the earlier one.
    ...(options.approval === undefined ? {} : { validateOnly: options.validateOnly }),
    retryOf: jobId,
  };
  return keptOptions.parse(merged);
}
