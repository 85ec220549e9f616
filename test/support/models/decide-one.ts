/** Decides one question of a proposal's profile by the client, as a person would who answers them one by one. */
import { decide, LongshoreError, type schemas } from '@longshore/client';

type Profile = schemas.ProposedImportProfile;

/** @param column null: the file as a whole @returns undefined when no open question has such a reading */
export function decideOne(profile: Profile, column: string | null, value: string): Profile | undefined {
  const ofFile = profile.undecided?.find((asked) => {
    return asked.column === null && asked.readings.some((reading) => reading.value === value);
  });
  const subject = column ?? ofFile?.about;
  if (subject === undefined) return undefined;
  try {
    return decide({ profile } as schemas.ImportProposal, { [subject]: value }).profile;
  } catch (error) {
    if (error instanceof LongshoreError && error.code === 'DECISION_INVALID') return undefined;
    throw error;
  }
}
