/** Reads what is around a catalog as it is now: import profiles, settings and webhook definitions. */
import type { Knex } from 'knex';
import type { Image } from '../../changes/model/definition-image.js';
import { SETTINGS_KEY, type SealedSecrets, type SurroundingKind } from '../../changes/model/surrounding-image.js';
import { imagesOfProfiles } from '../../profiles/profile-images.js';
import { siteSettings } from '../../settings/site-settings.js';
import { imagesOfWebhooks } from './webhook-images.js';

/** One of them, and the secrets that it has besides. */
export interface PresentSurrounding {
  readonly key: string;
  readonly image: Image;
  readonly sealed: SealedSecrets | null;
}

/** Those that are not there are not among them. @param locks whether others wait with changes until the transaction ends */
export async function presentSurroundings(
  trx: Knex.Transaction,
  siteId: number,
  kind: SurroundingKind,
  keys: readonly string[],
  locks = false,
): Promise<PresentSurrounding[]> {
  switch (kind) {
    case 'profile': {
      const found = await imagesOfProfiles(trx, siteId, keys, locks);
      return found.map(({ key, image }) => ({ key, image: { ...image }, sealed: null }));
    }
    case 'webhook':
      return imagesOfWebhooks(trx, siteId, keys, locks);
    case 'settings': {
      if (locks) await trx('site').where({ id: siteId }).forNoKeyUpdate().first('id');
      // Whether the stage is live is no part of an archive.
      const { live: _, ...image } = (await siteSettings(trx, siteId)).settings;
      return [{ key: SETTINGS_KEY, image, sealed: null }];
    }
  }
}
