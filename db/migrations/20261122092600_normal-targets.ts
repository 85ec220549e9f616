/**
 * The duplicate rule of webhook definitions compares URLs in their normal form from now on: their digests are computed
 * again. A definition that would then be a duplicate keeps the digest that it has.
 */
import { createHash } from 'node:crypto';
import type { Knex } from 'knex';

const BATCH = 500;

export async function up(knex: Knex): Promise<void> {
  for (let after = ''; ; ) {
    const rows: { id: string; target: string }[] = await knex('webhook_definition')
      .where('id', '>', after)
      .orderBy('id')
      .limit(BATCH)
      .select('id', 'target');
    for (const { id, target } of rows) {
      if (!URL.canParse(target)) continue;
      const url = new URL(target);
      url.hash = '';
      if (url.href === target) continue;
      const digest = createHash('sha256').update(url.href, 'utf8').digest();
      await knex.raw(
        `UPDATE webhook_definition AS one SET target_digest = :digest WHERE id = :id AND NOT EXISTS (
           SELECT FROM webhook_definition AS other
           WHERE other.account_id = one.account_id AND other.target_digest = :digest AND other.protocol = one.protocol
             AND other.source = one.source AND other.api_version = one.api_version)`,
        { id, digest },
      );
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return;
    after = last.id;
  }
}

/** The release before compares whatever digests there are. */
export async function down(): Promise<void> {}
