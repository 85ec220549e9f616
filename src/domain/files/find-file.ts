/** Finds files of a site. */
import type { Db } from '../../../db/connection.js';
import { File, type FileStatus } from '../../../db/models/file.js';
import type { SiteContext } from '../access/site-context.js';
import { DomainError } from '../kernel/errors.js';
import { isId } from '../kernel/identifier.js';
import type { Page, PageRequest } from '../kernel/paging.js';

/** @throws DomainError not-found when the site has no such file */
export async function findFile(db: Db, siteId: number, fileId: string): Promise<File> {
  const file = isId(fileId) ? await File.query(db).findById(fileId).where({ site_id: siteId }) : undefined;
  if (file !== undefined) return file;
  const message = `there is no file ${fileId.slice(0, 60)} in this account and stage`;
  throw new DomainError('not-found', 'FILE_NOT_FOUND', message);
}

interface FileFilter {
  readonly ids?: readonly string[] | undefined;
  readonly types?: readonly string[] | undefined;
  readonly status?: FileStatus | undefined;
}

/** One page of files, newest first. */
export async function listFiles(db: Db, site: SiteContext, filter: FileFilter, page: PageRequest): Promise<Page<File>> {
  const query = File.query(db).where({ site_id: site.siteId });
  if (filter.ids !== undefined) query.whereIn('id', [...filter.ids]);
  if (filter.types !== undefined) query.whereIn('type', [...filter.types]);
  if (filter.status !== undefined) query.where({ status: filter.status });
  const [count, rows] = await Promise.all([
    query.clone().resultSize(),
    query.clone().orderBy('created_at', 'desc').orderBy('id', 'desc').offset(page.offset).limit(page.limit),
  ]);
  return { rows, count };
}
