/** `npm run bench`: runs benchmarks on real processes and throw-away data, and prints each figure beside its reference. */
import { writeFileSync } from 'node:fs';
import type { BenchmarkResult } from './benchmark.js';
import { benchmarks } from './benchmarks.js';
import { type BenchArguments, parseBenchArguments, UsageError } from './command-line.js';
import { describeMachine } from './report/machine.js';
import { formatTable } from './report/table.js';

/** To standard error: standard output carries the table. */
function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function main(): Promise<void> {
  const args = parseBenchArguments(
    process.argv.slice(2),
    benchmarks.map(({ name }) => name),
  );
  const machine = describeMachine();
  const results = await runAll(args);
  process.stdout.write(`${machine.cpu}, ${machine.cores} cores, Node ${machine.node}\n\n${formatTable(results)}\n`);
  if (args.json !== undefined) writeFileSync(args.json, `${JSON.stringify({ machine, results }, null, 2)}\n`);
}

async function runAll({ only, backends, quick, rows, runs, profile }: BenchArguments): Promise<BenchmarkResult[]> {
  const results: BenchmarkResult[] = [];
  for (const backend of backends) {
    for (const benchmark of benchmarks) {
      if (only !== undefined && !only.includes(benchmark.name)) continue;
      say(`— ${benchmark.name} on ${backend}`);
      results.push(...(await benchmark.run({ backend, quick, rows, runs, profile, say })));
    }
  }
  return results;
}

try {
  await main();
} catch (error) {
  if (error instanceof UsageError) say(error.message);
  else say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
