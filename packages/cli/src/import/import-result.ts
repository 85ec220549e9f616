/** Shows what became of an import, and writes the rows that failed to a file beside it. */
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ImportResult } from '@longshore/client';
import { clientOf } from '../access.js';
import type { ImportInput } from '../import-input.js';
import { exitCodeOf, printErrorSummary, printJob } from '../job-report.js';
import { commandLine, count, print, printJson, style } from '../terminal.js';
import { freeNameBeside, writeFile } from '../write-file.js';
import type { Attempt } from './attempt.js';
import type { ImportOptions } from './options.js';

/** @returns the exit code */
export async function showResult(
  input: ImportInput,
  attempt: Attempt,
  result: ImportResult,
  options: ImportOptions,
): Promise<number> {
  const { job } = result;
  const errorFile = await writeErrorFile(input.path, attempt, result, options);
  if (options.json) printJson({ outcome: result.outcome, job, errorFile: errorFile ?? null });
  else printResult(result, errorFile);
  attempt.forget();
  return exitCodeOf(job);
}

/** @returns the path of the file; undefined: no row failed */
async function writeErrorFile(
  path: string,
  attempt: Attempt,
  result: ImportResult,
  options: ImportOptions,
): Promise<string | undefined> {
  const [id] = result.job.errorFiles;
  if (id === undefined) return undefined;
  const { name } = await clientOf(options).getFile({ id });
  const response = await result.errorFile();
  if (response === undefined) return undefined;
  const own = attempt.nameErrorFile(() => basename(freeNameBeside(path, '.errors', name)));
  const target = join(dirname(path), own);
  if (!existsSync(target)) await writeFile(target, response);
  else await response.body?.cancel();
  return target;
}

function printResult({ job, outcome }: ImportResult, errorFile: string | undefined): void {
  const { bold, dim } = style(process.stdout);
  printJob(job);
  print(dim(`job ${job.id}`));
  printErrorSummary(job);
  if (errorFile === undefined) return;
  print();
  const { errorCount } = job.progressTracker;
  const isOne = outcome !== 'refused' && errorCount === 1;
  const rows =
    outcome === 'refused' ? 'The rows' : isOne ? 'The row that failed' : `The ${count(errorCount)} rows that failed`;
  print(`${rows} ${isOne ? 'is' : 'are'} in ${bold(errorFile)}. Correct ${isOne ? 'it' : 'them'} there, then:`);
  print(`  ${commandLine('import', errorFile)}`);
}
