/** `npm run chaos`: breaks a running system at random, and checks that it kept its promises. */
import { type ChaosArguments, parseChaosArguments, UsageError } from './command-line.js';
import { type ChaosOutcome, type ChaosRun, runChaos } from './run-chaos.js';
import { makeSchedule } from './schedule.js';
import { shrink } from './shrink.js';

const MINUTE_MS = 60_000;
/** Violations that are printed of a run: one fault can break many. */
const MOST_PRINTED = 20;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function main(): Promise<void> {
  const args = parseChaosArguments(process.argv.slice(2), Date.now() % 1_000_000);
  const forMs = args.minutes * MINUTE_MS;
  const all = makeSchedule(args.seed, forMs, args.backend, args.store);
  const faults = args.faults === undefined ? all : all.filter(({ number }) => args.faults?.includes(number));
  const { seed, backend, store, lanes, inject } = args;
  const run: ChaosRun = { seed, backend, store, lanes, inject, forMs, faults };
  say(
    `seed ${seed} on ${backend}, files in ${store === 's3' ? 'S3' : 'a folder'}: ${faults.length} faults in ${args.minutes} minutes`,
  );
  const outcome = await runChaos(run);
  say(outcome.summary);
  if (args.story && outcome.violations.length === 0) print(outcome);
  if (outcome.violations.length === 0) return;
  process.exitCode = 1;
  print(outcome);
  await printShortest(args, run, outcome);
}

async function printShortest(args: ChaosArguments, run: ChaosRun, first: ChaosOutcome): Promise<void> {
  let story = first;
  const smallest = await shrink(
    run,
    async (smaller) => {
      const outcome = await runChaos({ ...run, ...smaller });
      const fails = outcome.violations.length > 0;
      if (fails) story = outcome;
      say(`with ${smaller.faults.length} faults and ${smaller.lanes.join(', ')}: ${fails ? 'fails' : 'passes'}`);
      return fails;
    },
    Date.now() + args.shrinkMinutes * MINUTE_MS,
  );
  say('\nThe shortest story that was seen to fail:');
  print(story);
  const numbers = smallest.faults.map(({ number }) => number).join(',');
  const inject = args.inject === undefined ? '' : ` --inject ${args.inject}`;
  say(
    `\nRun it again: npm run chaos -- --minutes ${args.minutes} --seed ${args.seed} --backend ${args.backend} --store ${args.store}` +
      ` --faults ${numbers || '""'} --lanes ${smallest.lanes.join(',')}${inject}`,
  );
}

function print({ story, violations }: ChaosOutcome): void {
  for (const line of story) say(line);
  say(`${violations.length} promises were broken:`);
  for (const violation of violations.slice(0, MOST_PRINTED)) say(`- ${violation}`);
}

try {
  await main();
} catch (error) {
  say(error instanceof UsageError ? error.message : String(error instanceof Error ? (error.stack ?? error) : error));
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
// What a failed run has left open must not keep its result from being reported.
process.exit();
