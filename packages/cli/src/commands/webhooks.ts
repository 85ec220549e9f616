/** `longshore webhooks …`: definitions, a local receiver, attempts and replays. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type EventLog,
  type InputOf,
  type LongshoreClient,
  LongshoreError,
  type WebhookEvent,
  webhooks,
} from '@longshore/client';
import { type Command, Option } from 'commander';
import { type CommonOptions, clientOf, findAccess, wholeNumber, withAccess } from '../access.js';
import { CommandError, EXIT, report } from '../failure.js';
import { whenInterrupted } from '../interrupts.js';
import { commandLine, count, note, plural, print, printJson, printTable, style } from '../terminal.js';

const listOf = (text: string) =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
const DEFAULT_EVENTS = ['JOB_COMPLETED', 'JOB_FAILED', 'EXPORT_READY'];
const DEFAULT_OUTCOMES = ['FAILED', 'CANCELLED'] as const;
const DEFAULT_ATTEMPTS = 20;
const MAX_PORT = 65_535;

interface SubscribeOptions extends CommonOptions {
  readonly events: readonly string[];
  readonly source: InputOf<'createWebhook'>['body']['source'];
}

interface ListenOptions extends SubscribeOptions {
  readonly port: number;
  readonly host: string;
  readonly target?: string;
  readonly count?: number;
}

interface AttemptsOptions extends CommonOptions {
  readonly status?: 'PENDING' | 'DELIVERED' | 'FAILED' | 'CANCELLED';
  readonly limit: number;
}

interface ReplayOptions extends CommonOptions {
  readonly event?: string;
  readonly since?: string;
  readonly until?: string;
  readonly outcomes?: readonly ('FAILED' | 'CANCELLED' | 'DELIVERED' | 'IGNORED')[];
  readonly dryRun?: boolean;
}

export function addWebhooks(program: Command): void {
  const command = program
    .command('webhooks')
    .description('create, test and receive webhooks')
    .addHelpText('after', '\nExamples:\n  longshore webhooks listen\n  longshore webhooks attempts --status FAILED');
  withAccess(command.command('list').description('the definitions, and how their endpoints are doing'))
    .addHelpText('after', '\nExamples:\n  longshore webhooks list')
    .action(listCommand);
  withAccess(subscribing(command.command('create').argument('<target>', 'the address that is called')))
    .description('create a definition, and show its signing secret')
    .addHelpText(
      'after',
      `
Examples:
  longshore webhooks create https://shop.example.com/hooks --events JOB_COMPLETED,JOB_FAILED
  longshore webhooks create https://shop.example.com/orders --source OMS --events ORDER_CREATED`,
    )
    .action(createCommand);
  withAccess(command.command('test').argument('<webhook>').description('call the target of a definition once'))
    .addHelpText('after', '\nExit code: 0 delivered, 1 not.\n\nExamples:\n  longshore webhooks test WEBHOOK')
    .action(testCommand);
  withAccess(subscribing(command.command('listen').description('receive events here: show and verify what arrives')))
    .option('--port <number>', 'the port to listen on; 0: any', wholeNumber, 0)
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option(
      '--target <address>',
      'the address by which the system reaches this receiver; default: the one it listens on',
    )
    .option('--count <number>', 'end after so many events', wholeNumber)
    .addHelpText(
      'after',
      `
Creates a definition for as long as it runs. A system in production calls no local addresses: --target names a tunnel.

Examples:
  longshore webhooks listen
  longshore webhooks listen --source OMS --events ORDER_CREATED --count 1 --json`,
    )
    .action(listenCommand);
  withAccess(
    command.command('attempts').argument('[webhook]').description('the newest events, and how they were delivered'),
  )
    .addOption(
      new Option('--status <status>', 'of the deliveries').choices(['PENDING', 'DELIVERED', 'FAILED', 'CANCELLED']),
    )
    .option('--limit <number>', 'how many events', wholeNumber, DEFAULT_ATTEMPTS)
    .addHelpText(
      'after',
      '\nExamples:\n  longshore webhooks attempts\n  longshore webhooks attempts WEBHOOK --status FAILED',
    )
    .action(attemptsCommand);
  withAccess(command.command('replay').argument('[webhook]').description('deliver events again'))
    .option('--event <id>', 'this event')
    .option('--since <time>', 'the events of a definition from this time on: 2026-01-31T09:00:00Z')
    .option('--until <time>', 'and before this time')
    .option(
      '--outcomes <names>',
      `which of them: FAILED, CANCELLED, DELIVERED, IGNORED; default: ${DEFAULT_OUTCOMES.join(',')}`,
      listOf,
    )
    .option('--dry-run', 'only count the deliveries')
    .addHelpText(
      'after',
      `
Examples:
  longshore webhooks replay WEBHOOK --since 2026-01-31T09:00:00Z --dry-run
  longshore webhooks replay WEBHOOK --since 2026-01-31T09:00:00Z
  longshore webhooks replay --event 6920f0c4a1b2c3d4e5f60718`,
    )
    .action(replayCommand);
}

function subscribing(command: Command): Command {
  return command
    .option('--events <names>', 'which events, separated by commas', listOf, DEFAULT_EVENTS)
    .option('--source <name>', 'whose events: CATALOG, OMS or your own', 'CATALOG');
}

async function listCommand(options: CommonOptions): Promise<void> {
  const definitions = await clientOf(options).listWebhooks();
  if (options.json) return printJson(definitions);
  if (definitions.length === 0) {
    const { stage, channel } = findAccess(options);
    const where = `the stage ${stage}${channel === undefined ? '' : ` for the channel ${channel}`}`;
    return print(`There are no definitions in ${where}; those of other stages are listed with --stage.`);
  }
  printTable(
    ['WEBHOOK', 'STATUS', 'ENDPOINT', 'WAITING', 'EVENTS', 'TARGET'],
    definitions.map(({ webhookId, status, health, events, target }) => [
      webhookId,
      status,
      health.breaker,
      health.backlog === 0 ? '' : `${count(health.backlog)}${health.backlogIsLowerBound ? '+' : ''}`,
      events.join(' '),
      target,
    ]),
  );
}

function subscribe(api: LongshoreClient, target: string, { source, events }: SubscribeOptions) {
  if (!URL.canParse(target)) throw new CommandError(`${target} is not an address: http://… or https://…`);
  const protocol = new URL(target).protocol === 'https:' ? 'HTTPS' : 'HTTP';
  return api.createWebhook({ body: { target, protocol, source, events: [...events] } });
}

async function createCommand(target: string, options: SubscribeOptions): Promise<void> {
  const definition = await subscribe(clientOf(options), target, options);
  if (options.json) return printJson(definition);
  const { bold } = style(process.stdout);
  print(`webhook ${bold(definition.webhookId)}: ${definition.events.join(', ')} → ${definition.target}`);
  print(`signing secret ${bold(definition.signingSecret)}`);
  note('The secret is shown only now. Receivers verify with it that a request is from here.');
}

async function testCommand(id: string, options: CommonOptions): Promise<void> {
  const result = await clientOf(options).testWebhook({ webhookId: id });
  process.exitCode = result.delivered ? EXIT.done : EXIT.failed;
  if (options.json) return printJson(result);
  const { green, red } = style(process.stdout);
  const took = `after ${count(result.durationMs)} ms`;
  print(
    result.delivered
      ? `${green('delivered')}: answered ${result.statusCode} ${took}`
      : `${red('not delivered')} ${took}: ${result.error ?? `answered ${result.statusCode}`}`,
  );
}

async function listenCommand(options: ListenOptions): Promise<void> {
  const api = clientOf(options);
  let secret = '';
  let left = options.count ?? Number.POSITIVE_INFINITY;
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const seen = new Set<string>();
  const receive = async (request: IncomingMessage) => {
    const body = await bodyOf(request);
    try {
      const event = await webhooks.verify({ body, headers: request.headers, secret });
      const isNew = !seen.has(event.eventRequestId);
      seen.add(event.eventRequestId);
      showEvent(event, isNew, options);
      if (isNew) left--;
      return 204;
    } catch (error) {
      report(error);
      return error instanceof LongshoreError ? 401 : 500;
    }
  };
  // The last event is answered before the end, so that it is not delivered again.
  const answered = () => {
    if (left <= 0) end();
  };
  const server = await listening(options, receive, answered);
  const { port } = server.address() as AddressInfo;
  const subscribed = subscribe(api, options.target ?? `http://${options.host}:${port}/`, options);
  // From here on there may be a definition, which is deleted whatever ends the program.
  const remove = async () => {
    const definition = await subscribed.catch(() => undefined);
    if (definition !== undefined) await removeDefinition(api, definition.webhookId);
  };
  const removed = whenInterrupted(remove);
  try {
    const definition = await subscribed;
    secret = definition.signingSecret;
    note(
      `Listening on port ${port} for ${definition.events.join(', ')} of ${definition.source}. Press Ctrl-C to stop.`,
    );
    await ended;
    await remove();
  } finally {
    removed();
    server.close();
    server.closeAllConnections();
  }
}

/** The longest time that a closed terminal keeps the program alive. */
const REMOVE_MS = 10_000;

async function removeDefinition(api: LongshoreClient, webhookId: string): Promise<void> {
  try {
    await api.deleteWebhook({ webhookId }, { signal: AbortSignal.timeout(REMOVE_MS) });
  } catch (error) {
    note(`The definition ${webhookId} was not deleted, and its events go on being sent to this address.`);
    process.exitCode = report(error);
  }
}

/** @param receive answers the status of the answer */
function listening(
  { port, host }: ListenOptions,
  receive: (request: IncomingMessage) => Promise<number>,
  answered: () => void,
): Promise<Server> {
  if (port > MAX_PORT) throw new CommandError(`--port is at most ${MAX_PORT}, not ${port}`);
  const server = createServer((request, response) => {
    receive(request).then(
      (status) => response.writeHead(status).end(answered),
      () => response.destroy(),
    );
  });
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new CommandError(`port ${port} cannot be used: ${error.message}`)));
    server.listen(port, host, () => resolve(server));
  });
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function showEvent(event: WebhookEvent, isNew: boolean, { json }: CommonOptions): void {
  // One line for each event, so that a program can read them as they arrive.
  if (json) return print(JSON.stringify(event));
  const { bold, green, dim } = style(process.stdout);
  print(
    `${event.triggeredAt}  ${bold(event.event)}  ${green('verified')}${isNew ? '' : dim(' again')}  ${dim(event.eventRequestId)}`,
  );
  print(JSON.stringify(event.payload, null, 2).replace(/^/gm, '  '));
}

async function attemptsCommand(id: string | undefined, { status, limit, ...options }: AttemptsOptions): Promise<void> {
  const filters = { ...(id === undefined ? {} : { webhookId: id }), ...(status === undefined ? {} : { status }) };
  const client = clientOf(options);
  const page = await client.queryEvents({ body: { filters, limit } });
  // Those of a deleted webhook are kept: only of one without any it is said whether it exists.
  if (id !== undefined && page.count === 0) await client.getWebhook({ webhookId: id });
  if (options.json) return printJson(page);
  if (page.webhookEventLogs.length === 0) return print('There are no events.');
  printTable(['EVENT ID', 'EVENT', 'STATUS', 'ATTEMPTED', 'OUTCOME'], page.webhookEventLogs.flatMap(attemptRows));
  if (page.count > page.webhookEventLogs.length) {
    note(`${count(page.webhookEventLogs.length)} of ${plural(page.count, 'event')}`);
  }
}

/** A line for each attempt, and one for each event without any. */
function attemptRows({ eventRequestId, event, status, firstEventTriggeredAt, logs }: EventLog): string[][] {
  const attempts = logs.flatMap((log) => log.responseInfo.map((attempt) => ({ ...attempt, status: log.status })));
  if (attempts.length === 0) return [[eventRequestId, event, status, firstEventTriggeredAt, 'no attempt']];
  return attempts.map((attempt) => [
    eventRequestId,
    event,
    attempt.status,
    attempt.triggeredAt,
    `${attempt.errorMessage ?? `answered ${attempt.statusCode}`} after ${count(attempt.durationMs)} ms`,
  ]);
}

/** One event is delivered at once: nothing selects among its deliveries, or only counts them. */
function refuseOfRange(given: Readonly<Record<string, unknown>>): void {
  const [option] = Object.keys(given).filter((name) => given[name] !== undefined);
  if (option === undefined) return;
  throw new CommandError(`${option} goes with --since, and not with --event, which is delivered at once: leave it out`);
}

async function replayCommand(id: string | undefined, options: ReplayOptions): Promise<void> {
  const { event, since, until, outcomes, dryRun } = options;
  if ((event === undefined) === (since === undefined)) throw new CommandError('give --event, or a webhook and --since');
  if (event !== undefined) refuseOfRange({ '--until': until, '--outcomes': outcomes, '--dry-run': dryRun });
  if (since !== undefined && id === undefined)
    throw new CommandError('name the webhook whose events are delivered again');
  const named = id === undefined ? {} : { webhookId: id };
  const range = {
    since,
    ...(until === undefined ? {} : { until }),
    outcomes: [...(outcomes ?? DEFAULT_OUTCOMES)],
    ...(dryRun ? { dryRun } : {}),
  };
  const body = event === undefined ? { ...named, ...range, since: since ?? '' } : { ...named, eventRequestId: event };
  const answer = await clientOf(options).retryEvents({ body });
  if (options.json) return printJson(answer);
  if ('jobId' in answer)
    return print(`job ${answer.jobId}: follow it with ${commandLine('jobs', 'watch', answer.jobId)}`);
  const { deliveries } = answer;
  print(
    `${count(deliveries)} ${deliveries === 1 ? 'delivery' : 'deliveries'} ${dryRun ? 'would be made' : 'started again'}`,
  );
}
