/** The options with which the files of a feed are imported, as they are at this moment. */
import type { Db } from '../../../db/connection.js';
import { fileFormat } from '../formats/file-format.js';
import type { SourceFormat } from '../formats/model/source-format.js';
import { requireSnapshot } from '../imports/check-snapshot.js';
import { jobOptions, unsupportedOptions } from '../imports/given-options.js';
import { chooseProfile, withProfile } from '../imports/given-profile.js';
import type { ImportOptions } from '../imports/model/import-options.js';
import { readApprovalRule, withApproval } from '../settings/approval-rules.js';
import { wrongMember } from './feed-environment.js';
import type { SourceRow } from './model/feed.js';

type Importing = Pick<SourceRow, 'site_id' | 'file_type' | 'options'>;

const PATHS = { profile: 'options.profile', options: 'options.' };

/**
 * @param format that of the file; each may have another one
 * @throws DomainError when the profile is no longer there, or the options contradict it or the format
 */
export async function importOptionsOf(
  db: Db,
  feed: Importing & Pick<SourceRow, 'id' | 'name'>,
  format: SourceFormat,
): Promise<ImportOptions> {
  const { site_id: siteId, file_type: type } = feed;
  const { profile, ...given } = feed.options;
  const [unfit] = unsupportedOptions(format, given, type);
  if (unfit !== undefined) throw wrongMember(`options.${unfit.option}`, unfit.message);
  const chosen = await chooseProfile(db, { siteId, type, format }, profile, given, PATHS);
  const named = withProfile(jobOptions({ ...given, profile: undefined }), chosen);
  const options = await requireSnapshot(db, siteId, { type, feed }, named);
  const rule = await readApprovalRule(db, siteId);
  return withApproval(rule, options, { requireApproval: options.requireApproval ?? false, fileType: type });
}

/**
 * Checks what does not depend on a file, when a feed is saved: that the profile is there, and fits.
 * @throws DomainError
 */
export async function checkImportOptions(db: Db, feed: Importing & Pick<SourceRow, 'pick'>): Promise<void> {
  const { site_id: siteId, file_type: type } = feed;
  const { profile, ...given } = feed.options;
  if (given.validateOnly === true && given.requireApproval === true) {
    throw wrongMember(
      'options.requireApproval',
      'a dry run writes nothing that could be approved: leave one of both out',
    );
  }
  // Which files come is not known yet, unless the pattern says so.
  const format = fileFormat(feed.pick.pattern)?.format ?? (given.sheet === undefined ? 'CSV' : 'XLSX');
  const [unfit] = unsupportedOptions(format, given, type);
  if (unfit !== undefined) throw wrongMember(`options.${unfit.option}`, unfit.message);
  const chosen = await chooseProfile(db, { siteId, type, format }, profile, given, PATHS);
  // It may not have an id yet.
  const own = { id: '', name: '' };
  await requireSnapshot(
    db,
    siteId,
    { type, feed: own },
    withProfile(jobOptions({ ...given, profile: undefined }), chosen),
  );
}
