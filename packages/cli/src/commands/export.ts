/** `longshore export` and `longshore template`: files of the catalog, and empty ones with its columns. */
import { pipeline } from 'node:stream/promises';
import type { ExportRequest } from '@longshore/client';
import { Argument, type Command, Option } from 'commander';
import { type CommonOptions, clientOf, wholeNumber, withAccess } from '../access.js';
import { CommandError } from '../failure.js';
import { commandLine, count, note, printJson, size } from '../terminal.js';
import { writeExport } from '../write-export.js';
import { bytesOf, keptOpen, requireFree, writeFile } from '../write-file.js';

type What = ExportRequest['what'];
const WHATS = ['items', 'bundles', 'attributes', 'categories'] as const satisfies readonly What[];

interface ExportOptions extends CommonOptions {
  readonly output?: string;
  readonly force?: boolean;
  readonly format: 'CSV' | 'JSONL' | 'XLSX' | 'PARQUET';
  readonly match?: string;
  readonly profile?: string;
  readonly status?: string;
  readonly gzip?: boolean;
  readonly publishAs?: string;
  readonly since?: string;
}

const whatArgument = () => new Argument('[what]', 'what is written').choices(WHATS).default('items');
const upper = (value: string) => value.toUpperCase();

export function addExport(program: Command): void {
  const exporting = program
    .command('export')
    .description('write a part of the catalog to a file')
    .addArgument(whatArgument())
    .option('-o, --output <file>', 'the file, "-" for standard output; default: items.csv and so on')
    .option('--force', 'replace the file if it exists')
    .addOption(new Option('--format <format>', 'CSV, JSONL, XLSX or PARQUET').default('CSV').argParser(upper))
    .option('--status <status>', 'only those with this status: LIVE or DRAFT', upper)
    .option('--match <json>', 'which elements, as the "match" of the API: \'{"sku":["A-1"]}\'')
    .option('--profile <name>', 'in the form of this profile, by which it can be imported again')
    .option('--gzip', 'compress the file')
    .option('--publish-as <name>', 'put it at the address of this published file as well')
    .option('--since <when>', 'only what has changed since: a job (an earlier export), a time, or a cursor');
  withAccess(exporting)
    .addHelpText(
      'after',
      `
Examples:
  longshore export items -o catalog.csv
  longshore export items --status LIVE --format XLSX -o live.xlsx
  longshore export items --profile shopify-variants -o shopify.csv
  longshore export items --since 6920f0c4a1b2c3d4e5f60718 -o changes.csv
  longshore export items --since 2026-01-31T09:00:00Z -o changes.csv
  longshore export attributes -o - | head
  longshore export items --match '{"sku":["DISK-1","DISK-2"]}'`,
    )
    .action(exportCommand);

  const template = program
    .command('template')
    .description('write an empty file with the columns of an import')
    .addArgument(whatArgument())
    .option('-o, --output <file>', 'the file, "-" for standard output; default: items-template.csv and so on')
    .option('--force', 'replace the file if it exists')
    .addOption(new Option('--format <format>', 'CSV or XLSX').default('CSV').argParser(upper))
    .option('--category <node>', 'only the columns of this category, by its node id', wholeNumber);
  withAccess(template)
    .addHelpText(
      'after',
      `
Examples:
  longshore template items
  longshore template items --category 4 --format XLSX -o disks.xlsx
  longshore template categories -o -`,
    )
    .action(templateCommand);
}

async function exportCommand(what: What, options: ExportOptions): Promise<void> {
  const { format, gzip, profile, publishAs, since } = options;
  const path = options.output ?? `${what}.${format.toLowerCase()}${gzip ? '.gz' : ''}`;
  if (path !== '-') requireFree(path, options.force === true);
  const match = { ...matchOf(options.match), ...(options.status === undefined ? {} : { status: options.status }) };
  const given = {
    ...(gzip ? { gzip } : {}),
    ...(profile === undefined ? {} : { profile }),
    ...(publishAs === undefined ? {} : { publishAs }),
    ...(since === undefined ? {} : { since: sinceOf(since) }),
  };
  const request = { what, match, format, ...given } as ExportRequest;
  const { job, rows, bytes } = await writeExport(path, options.json !== true, (destination, waiting) =>
    clientOf(options).exportTo(request, destination, waiting),
  );
  if (options.json && path !== '-') printJson({ file: path, rows, bytes, job });
  else {
    note(`${count(rows)} ${what} written${path === '-' ? '' : ` to ${path}`} (${size(bytes)})`);
    if (since !== undefined) note(`What changes after this file: ${commandLine('export', what, '--since', job.id)}`);
    if (job.statusMessage !== null) note(job.statusMessage);
    for (const { code, path: column, count: cells, example } of job.warnings) {
      note(`${code}${column === null ? '' : ` ${column}`} ${count(cells)}: ${example}`);
    }
  }
}

/** What somebody means by a place in time: ids of jobs are 24 hexadecimal digits, and cursors are no dates. */
function sinceOf(text: string): { jobId: string } | { time: string } | { cursor: string } {
  if (/^[0-9a-f]{24}$/.test(text)) return { jobId: text };
  return /^\d{4}-\d\d-\d\d/.test(text) ? { time: text } : { cursor: text };
}

function matchOf(text: string | undefined): object {
  if (text === undefined) return {};
  try {
    const match: unknown = JSON.parse(text);
    if (typeof match === 'object' && match !== null) return match;
  } catch {}
  throw new CommandError('--match is not a JSON object: \'{"sku":["A-1"]}\'');
}

interface TemplateOptions extends CommonOptions {
  readonly output?: string;
  readonly force?: boolean;
  readonly format: 'CSV' | 'XLSX';
  readonly category?: number;
}

async function templateCommand(what: What, options: TemplateOptions): Promise<void> {
  const { format, category } = options;
  const api = clientOf(options);
  const byCategory = { body: { format, ...(category === undefined ? {} : { nodeId: category }) } };
  const path = options.output ?? `${what}-template.${format.toLowerCase()}`;
  if (path !== '-') requireFree(path, options.force === true);
  if (category !== undefined && (what === 'attributes' || what === 'categories')) {
    throw new CommandError(`--category is for items and bundles: ${what} have the same columns everywhere`);
  }
  const templates: Readonly<Record<What, () => Promise<Response>>> = {
    items: () => api.getItemTemplate(byCategory),
    bundles: () => api.getBundleTemplate(byCategory),
    attributes: () => api.getAttributeTemplate({ body: { format } }),
    categories: () => api.getCategoryTemplate({ body: { format } }),
  };
  const response = await templates[what]();
  if (path === '-') return pipeline(bytesOf(response), keptOpen(process.stdout));
  await writeFile(path, response);
  if (options.json) printJson({ file: path });
  else note(`The template is in ${path}`);
}
