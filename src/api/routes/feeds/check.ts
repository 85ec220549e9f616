/** What is checked of a feed when it is saved: a run could not do it otherwise. */
import type { Db } from '../../../../db/connection.js';
import type { CategoryReference } from '../../../domain/catalog/categories/find-category.js';
import type { ExportSpec } from '../../../domain/exports/model/export-spec.js';
import { requirePublishedFile } from '../../../domain/exports/published-files.js';
import {
  feedEnvironment,
  requireAllowed,
  requireClearable,
  wrongMember,
} from '../../../domain/feeds/feed-environment.js';
import { checkImportOptions } from '../../../domain/feeds/import-options.js';
import { destinationProblem } from '../../../domain/feeds/model/destination-settings.js';
import type { DestinationSettings, GivenExport, SourceSettings } from '../../../domain/feeds/model/feed-settings.js';
import { DomainError } from '../../../domain/kernel/errors.js';
import { type DestinationExport, destinationExport } from '../../export-body.js';
import type { ApiServices } from '../../services.js';
import { destinationSpec } from '../exports/specification.js';

interface Site {
  readonly siteId: number;
  readonly accountId: string;
}

type CheckServices = Pick<ApiServices, 'db' | 'config'>;

/** @throws DomainError when the folder is not allowed, or files could not be imported so */
export async function checkSource(
  { db, config }: CheckServices,
  { siteId, accountId }: Site,
  { connection, fileType, options, pick, afterwards }: SourceSettings,
): Promise<void> {
  requireAllowed(feedEnvironment(config), accountId, connection);
  requireClearable(connection, afterwards);
  await checkImportOptions(db, { site_id: siteId, file_type: fileType, options, pick });
}

/** @throws DomainError when the connection cannot be written to, or what is wanted does not go together */
export async function checkDestination(
  { db, config }: CheckServices,
  { siteId, accountId }: Site,
  settings: DestinationSettings,
): Promise<void> {
  const { connection } = settings;
  const problem = destinationProblem(connection, settings.export, settings);
  if (problem !== null) throw wrongMember(problem.path, problem.message);
  requireAllowed(feedEnvironment(config), accountId, connection);
  if (connection.kind === 'published') await requirePublishedFile(db, siteId, connection.name);
}

/** The export of a destination as it was sent, of a body that was read: categories are numbers or ids again. */
export function exportAsSent(read: DestinationExport): GivenExport {
  const { match } = read;
  const sent: Record<string, unknown> = { ...match };
  if ('categoryId' in match) sent.categoryId = match.categoryId?.map(categoryAsSent);
  if (read.type === 'CATEGORY_EXPORT') sent.id = read.match.id?.map(categoryAsSent);
  return { ...read, match: sent };
}

function categoryAsSent(reference: CategoryReference): number | string {
  return 'id' in reference ? reference.id : reference.nodeId;
}

/**
 * The export of a destination as a request for it is resolved.
 * @param given as it was sent, now or when it was saved
 * @throws DomainError invalid
 */
export async function specOf(db: Db, siteId: number, given: GivenExport): Promise<ExportSpec> {
  try {
    return await destinationSpec(db, siteId, destinationExport.parse(given));
  } catch (error) {
    if (!(error instanceof DomainError) || error.problems.length === 0) throw error;
    const problems = error.problems.map((problem) => ({ ...problem, path: `export.${problem.path ?? ''}` }));
    throw new DomainError(error.kind, error.code, `export: ${error.message}`, { problems });
  }
}
