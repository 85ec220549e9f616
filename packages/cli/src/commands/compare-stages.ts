/** `longshore stage compare STAGE` and `longshore stage promote JOB`. */
import type { Job, LongshoreClient, schemas } from '@longshore/client';
import { type Command, Option } from 'commander';
import { type CommonOptions, clientOf, withAccess } from '../access.js';
import { exitCodeOf } from '../job-report.js';

/** What a promotion would do with an item, as a command names it, and as the API does. */
const OPERATIONS = { created: 'CREATED', updated: 'UPDATED', deleted: 'DELETED' } as const;
type Operation = keyof typeof OPERATIONS;

interface PromoteOptions extends CommonOptions {
  readonly sku?: readonly string[];
  readonly operation?: readonly Operation[];
  readonly attribute?: readonly string[];
  readonly definitions: 'needed' | 'all' | 'none';
  readonly dryRun?: boolean;
  readonly requireApproval?: boolean;
}

/** @param watch follows a job until it has ended @param show prints a job */
export function addStageComparison(
  program: Command,
  watch: (api: LongshoreClient, id: string, options: CommonOptions) => Promise<Job>,
  show: (job: Job, options: CommonOptions) => Promise<void>,
): void {
  const stage =
    program.commands.find((command) => command.name() === 'stage') ??
    program.command('stage').description('whole stages: compare them, and carry over what differs');
  withAccess(
    stage
      .command('compare')
      .argument('<stage>')
      .description('compare definitions and items with those of another stage'),
  )
    .addHelpText(
      'after',
      '\nIt writes nothing. Look at what was found with `longshore jobs changes`.\n\nExamples:\n  longshore stage compare staging\n  longshore jobs changes JOB -o differences.xlsx',
    )
    .action(async (other: string, options: CommonOptions) => {
      const api = clientOf(options);
      const begun = await api.compareStages({ body: { with: other } });
      const job = await watch(api, 'jobId' in begun ? begun.jobId : begun.id, options);
      await show(job, options);
      process.exitCode = exitCodeOf(job);
    });
  withAccess(stage.command('promote').argument('<job>').description('carry over what a comparison has found'))
    .option('--sku <skus...>', 'only these items')
    .addOption(
      new Option('--operation <operations...>', 'only items that would be created, updated or deleted').choices(
        Object.keys(OPERATIONS),
      ),
    )
    .option('--attribute <names...>', 'only items that differ in one of these attributes or fields')
    .addOption(
      new Option('--definitions <which>', 'attributes and categories that are carried over before the items')
        .choices(['needed', 'all', 'none'])
        .default('needed'),
    )
    .option('--dry-run', 'only say what it would change')
    .option('--require-approval', 'let it wait for an approval')
    .addHelpText(
      'after',
      '\nWhat was changed in one of the stages after they were compared is kept as it is, and reported.\n\nExamples:\n  longshore stage promote JOB\n  longshore stage promote JOB --definitions all\n  longshore stage promote JOB --sku TEE-S TEE-M\n  longshore stage promote JOB --operation updated --attribute Price',
    )
    .action(async (id: string, options: PromoteOptions) => {
      const api = clientOf(options);
      const begun = await api.promoteStage({ body: promotionOf(id, options) });
      const job = await watch(api, 'jobId' in begun ? begun.jobId : begun.id, options);
      await show(job, options);
      process.exitCode = exitCodeOf(job);
    });
}

function promotionOf(
  compareJobId: string,
  { sku, operation, attribute, definitions, dryRun = false, requireApproval = false }: PromoteOptions,
): schemas.PromoteStageRequest {
  const filter = {
    ...(operation === undefined ? {} : { operations: operation.map((one) => OPERATIONS[one]) }),
    ...(attribute === undefined ? {} : { attributes: [...attribute] }),
  };
  return {
    ...{ compareJobId, definitions, validateOnly: dryRun, requireApproval },
    ...(sku === undefined ? {} : { skus: [...sku] }),
    ...(Object.keys(filter).length === 0 ? {} : { filter }),
  };
}
