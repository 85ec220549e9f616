/** Gives import profiles, settings and webhook definitions back what they were, by what requests for them use. */
import type { Knex } from 'knex';
import type { WebhookDefinition } from '../../../../db/models/webhook-definition.js';
import { type Actor, type AuditAction, recordAudit } from '../../access/audit.js';
import type { Image } from '../../changes/model/definition-image.js';
import type { SurroundingKind } from '../../changes/model/surrounding-image.js';
import { sealedSecretsOf } from '../../changes/surrounding-changes.js';
import { DomainError } from '../../kernel/errors.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { profileSchema } from '../../profiles/model/profile.js';
import { type ProfileImage, restoreProfile } from '../../profiles/profile-images.js';
import { deleteProfile, updateProfile } from '../../profiles/profiles.js';
import { settingsSchema } from '../../settings/settings.js';
import { DefinitionCopier } from '../../webhooks/copied-definitions.js';
import { deleteDefinition, updateDefinition } from '../../webhooks/definitions.js';
import { keepBefore } from '../surroundings/keep-before.js';
import { replaceSettings } from '../surroundings/replace-settings.js';
import { asRowProblem, type DefinitionSite, type DueDefinition, type WriteDefinitions } from './definition-write.js';
import { useOfProfile } from './profile-uses.js';

/** Writes one of them. @returns what the audit log says @throws DomainError when it stays as it is */
type WriteOne = (trx: Knex.Transaction, site: DefinitionSite, one: DueDefinition) => Promise<[AuditAction, string]>;

/** One after another: each keeps what it changes for a revert of the revert. */
export function revertingSurroundings(kind: SurroundingKind): WriteDefinitions {
  return async (trx, site, due) => {
    const problems = new Map<DueDefinition, readonly RowProblem[]>();
    for (const one of due) {
      const { key } = one.definition;
      const done: [AuditAction, string][] = [];
      const write = async () => {
        done.push(await WRITERS[kind](trx, site, one));
        return key;
      };
      try {
        await keepBefore(trx, site, kind, key, write);
      } catch (error) {
        problems.set(one, [asRowProblem(error)]);
      }
      await note(trx, site, done);
    }
    return { problems };
  };
}

const WRITERS: Readonly<Record<SurroundingKind, WriteOne>> = {
  async profile(trx, { siteId, ownJobs }, { definition: { key, before, after, at }, present }) {
    const was = before as ProfileImage | null;
    if (was === null) {
      const { name } = (present ?? after) as unknown as ProfileImage;
      const use = await useOfProfile(trx, siteId, { name, at }, ownJobs);
      if (use !== undefined) throw new DomainError('conflict', 'PROFILE_IN_USE', `${use}, so that it is kept`);
      const { version } = await deleteProfile(trx, siteId, name);
      return ['IMPORT_PROFILE_DELETED', `import-profile/${key}/${version}`];
    }
    if (present === undefined) {
      await restoreProfile(trx, siteId, key, was);
      return ['IMPORT_PROFILE_CREATED', `import-profile/${key}/${was.version}`];
    }
    const profile = profileSchema.parse(JSON.parse(was.document));
    const { version } = await updateProfile(trx, siteId, was.name, profile, null);
    return ['IMPORT_PROFILE_UPDATED', `import-profile/${key}/${version}`];
  },
  async settings(trx, { siteId }, { definition: { before } }) {
    const version = await replaceSettings(trx, siteId, settingsSchema.parse(before));
    return ['SITE_SETTINGS_CHANGED', `site-settings/${version}`];
  },
  async webhook(trx, { siteId, channel }, { definition: { key, before, deletedBy }, present }) {
    const target = `webhook/${key}`;
    if (before === null) {
      await deleteDefinition(trx, siteId, key);
      return ['WEBHOOK_DELETED', target];
    }
    if (present === undefined) {
      await createAgain(trx, siteId, before, deletedBy);
      return ['WEBHOOK_CREATED', target];
    }
    // It has no secrets to seal: those of the definition stay.
    await updateDefinition(trx, { siteId, channel }, key, fieldsOf(before), []);
    return ['WEBHOOK_UPDATED', target];
  },
};

/** What an archive changes of a definition that the stage has already. */
function fieldsOf(row: Image): Parameters<typeof updateDefinition>[3] {
  const { events, format, callback_url, rate_limit, ordering, filter, collect_hours } =
    row as unknown as WebhookDefinition;
  return {
    ...{ events, format, filter, ordering: ordering ?? 'none' },
    ...{ callbackUrl: callback_url, rateLimit: rate_limit, collectHours: collect_hours },
  };
}

async function createAgain(
  trx: Knex.Transaction,
  siteId: number,
  before: Image,
  deletedBy: string | undefined,
): Promise<void> {
  const sealed = deletedBy === undefined ? undefined : await sealedSecretsOf(trx, siteId, deletedBy);
  if (sealed === undefined) {
    const message = 'its secrets are no longer kept: create it anew, and give its partner the new ones';
    throw new DomainError('gone', 'CHANGES_GONE', message);
  }
  await DefinitionCopier.restore(trx, siteId, before, sealed);
}

/** Requests for them have entries of their own in the audit log, and so has what a revert does. */
async function note(
  trx: Knex.Transaction,
  { siteId, accountId, actor }: DefinitionSite,
  done: readonly [AuditAction, string][],
): Promise<void> {
  if (done.length === 0) return;
  const [{ stage } = { stage: null }]: { stage: string | null }[] = await trx('site')
    .where({ id: siteId })
    .select('stage');
  const who = actorOf(actor);
  await recordAudit(
    trx,
    done.map(([action, target]) => ({ actor: who, accountId, action, stage, target })),
  );
}

/** @param actor of a job: "token:5f…" */
function actorOf(actor: string | null): Actor {
  const [kind = '', id = null] = actor?.split(':', 2) ?? [];
  const known = KINDS.find((one) => one === kind) ?? 'anonymous';
  return { kind: known, id, address: null, requestId: null };
}

const KINDS: readonly Actor['kind'][] = ['token', 'client', 'operator', 'admin'];
