/** The proposal for an inspected file, by the catalog as it is now. */
import type { Db } from '../../../db/connection.js';
import { EventLoopPacer } from '../../platform/event-loop-pacer.js';
import { loadDefinitions, presentSnapshot } from '../catalog/definition-snapshot.js';
import type { ProfileFileType } from '../profiles/model/profile.js';
import { findProfile } from '../profiles/profiles.js';
import { profilesOfType } from '../profiles/profiles-of-type.js';
import { siteSettings } from '../settings/site-settings.js';
import type { ChosenColumns } from './compose/choice.js';
import { withColumns } from './compose/with-columns.js';
import { keptInspection } from './file-inspection.js';
import { fittingProfiles } from './fitting-profiles.js';
import { holdProfile } from './hold-profile.js';
import type { InspectedRows } from './model/inspection-job.js';
import type { Proposal } from './model/proposal.js';
import { propose } from './propose.js';

interface Asked {
  readonly fileType: ProfileFileType;
  /** The name of a saved profile, against which the file is held. */
  readonly profile: string | undefined;
  /** What of the form of the file was asked for: it is no question, and the profile has to name the sheet. */
  readonly rows?: InspectedRows | undefined;
  /** What somebody has said of columns of the file. */
  readonly columns?: ChosenColumns | undefined;
}

/**
 * @returns null when the inspection is no longer there
 * @throws DomainError not-found when there is no such profile; unprocessable TOO_MANY_COLUMNS
 */
export async function fileProposal(
  db: Db,
  siteId: number,
  fileId: string,
  { fileType, profile: name, rows, columns }: Asked,
): Promise<Proposal | null> {
  const pacer = new EventLoopPacer(new AbortController().signal);
  const pause = () => pacer.pause();
  const stored = name === undefined ? undefined : await findProfile(db, siteId, name);
  const inspection = await keptInspection(db, fileId);
  if (inspection === null) return null;
  const definitions = await loadDefinitions(db, siteId, await db.transaction((trx) => presentSnapshot(trx, siteId)));
  const profiles = await fittingProfiles(inspection, await profilesOfType(db, siteId, fileType, pause), pause);
  const ofFile = { profiles, notes: inspection.format.notes };
  if (stored !== undefined) {
    const profile = withColumns(stored.profile, columns ?? {});
    return { ...(await holdProfile({ inspection, definitions, profile }, pause)), ...ofFile };
  }
  const { settings } = await siteSettings(db, siteId);
  const input = { inspection, definitions, aliases: settings.aliases, fileType, chosen: columns, rows };
  return { ...(await propose(input, pause)), ...ofFile };
}
