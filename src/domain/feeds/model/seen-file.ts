/** The file that a feed has taken last, as it was when it was listed. */
import type { Connection } from '../../../platform/remote/remote-folder.js';
import type { SourceRow } from './feed.js';

/** Where files were seen: of https the address itself. */
export function addressOf(connection: Connection): string {
  switch (connection.kind) {
    case 'https':
      return connection.url;
    case 'sftp':
      // The key of a host may be kept after the first use.
      return JSON.stringify(['sftp', connection.host, connection.port, connection.user, connection.path]);
    case 's3': {
      const { endpoint, region, bucket, prefix, accessKeyId } = connection;
      return JSON.stringify(['s3', endpoint, region, bucket, prefix, accessKeyId]);
    }
    case 'folder':
      return JSON.stringify(['folder', connection.path]);
  }
}

/** When the file was changed than which none that is older is taken; null: each may be, as files of other names or elsewhere were taken. */
export function newestTaken({ connection, pick, seen_file: seen }: NewestOf): Date | null {
  // Behind an address there is one file: one that goes back was put back.
  if (connection.kind === 'https' || seen === null || seen.modifiedAt === null) return null;
  const isFromHere = seen.url === addressOf(connection) && seen.pattern === pick.pattern;
  return isFromHere ? new Date(seen.modifiedAt) : null;
}

type NewestOf = Pick<SourceRow, 'connection' | 'seen_file'> & { readonly pick: Pick<SourceRow['pick'], 'pattern'> };
