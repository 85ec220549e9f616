/** Snapshots of a site's definitions, so that a job uses one version of them whatever changes meanwhile. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { DefinitionSnapshot } from '../../../db/models/definition-snapshot.js';
import { prepared } from '../../../db/prepared.js';
import { AssignmentInheritance, type OwnAssignment } from './assignment-inheritance.js';
import { type AttributeColumns, definitionFromColumns } from './attribute-record.js';
import type { AttributeMapping } from './model/attribute-definition.js';
import type { AssignedAttribute, DefinitionCategory, SiteDefinitions } from './site-definitions.js';

/** The document of a snapshot. It holds assignments as they were made; inheritance is resolved when it is loaded. */
interface SnapshotContent {
  readonly attributes: readonly Omit<AttributeColumns, 'name_key'>[];
  readonly mappings: Partial<Record<AttributeMapping, string>>;
  /** [node id, id, parent's node id, name, active], parents before children. */
  readonly categories: readonly (readonly [number, string, number | null, string, boolean])[];
  /** Node id → [attribute id, mandatory] in order. */
  readonly assignments: Readonly<Record<string, readonly (readonly [string, boolean])[]>>;
}

/**
 * Stores a snapshot of the site's definitions at their current version, unless there is one, and returns the version.
 *
 * Holds a share lock on the site's row until `trx` ends. A definition change increments the version first, which waits
 * for that lock, and only then looks for pending jobs: either the job uses the changed definitions, or the change sees
 * the job. Do not update the site's row later in the same transaction: two such transactions would deadlock.
 * @throws Error when there is no such site
 */
export async function snapshotDefinitions(trx: Knex.Transaction, siteId: number): Promise<number> {
  const version = (await snapshotsOf(trx, [siteId])).get(siteId);
  if (version === undefined) throw new Error(`site ${siteId} does not exist`);
  return version;
}

/** Like snapshotDefinitions for several sites, which are locked in the order of their ids. @returns site → version */
export async function snapshotsOf(
  trx: Knex.Transaction,
  siteIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (siteIds.length === 0) return new Map();
  const found = await prepared<{ rows: { id: number; version: number; is_stored: boolean }[] }>(
    trx,
    `SELECT site.id, site.version, snapshot.version IS NOT NULL AS is_stored
     FROM (SELECT unnest(:siteIds::integer[]) AS id ORDER BY id) AS given
     CROSS JOIN LATERAL (
       SELECT id, definitions_version AS version FROM site WHERE site.id = given.id LIMIT 1 FOR SHARE) AS site
     LEFT JOIN LATERAL (
       SELECT version FROM definition_snapshot
       WHERE definition_snapshot.site_id = site.id AND definition_snapshot.version = site.version LIMIT 1
     ) AS snapshot ON true`,
    { siteIds: [...siteIds] },
  );
  for (const { id: siteId, version, is_stored: isStored } of found.rows) {
    if (!isStored) await trx.raw(STORE_SNAPSHOT, { siteId, version });
  }
  return new Map(found.rows.map(({ id, version }) => [id, version]));
}

/**
 * The version of the current snapshot, or of one that was current a moment ago. If there is one, this takes no lock, so
 * changes of the definitions do not wait.
 */
export async function presentSnapshot(db: Db, siteId: number): Promise<number> {
  const snapshot = await db('site')
    .join('definition_snapshot as snapshot', 'snapshot.site_id', 'site.id')
    .where('site.id', siteId)
    .whereRaw('snapshot.version = site.definitions_version')
    .first('snapshot.version');
  // The lock has to hold until the snapshot is stored: otherwise it could have the definitions of the next version.
  return snapshot?.version ?? db.transaction((trx) => snapshotDefinitions(trx, siteId));
}

/**
 * The definitions of a site as a snapshot holds them.
 * @throws Error when there is no snapshot of that version
 */
export async function loadDefinitions(db: Db, siteId: number, version: number): Promise<SiteDefinitions> {
  const row = await DefinitionSnapshot.query(db).findById([siteId, version]);
  if (row === undefined) throw new Error(`site ${siteId} has no definition snapshot of version ${version}`);
  const content = row.content as SnapshotContent;
  return {
    version,
    attributes: content.attributes.map(definitionFromColumns),
    mappings: content.mappings,
    categories: categoriesOf(content),
  };
}

function categoriesOf(content: SnapshotContent): DefinitionCategory[] {
  const inheritance = new AssignmentInheritance();
  const attributes = new Map<number, readonly AssignedAttribute[]>();
  const parents = new Set(content.categories.map(([, , parentNodeId]) => parentNodeId));
  return content.categories.map(([nodeId, id, parentNodeId, name, active]) => {
    const inherited = parentNodeId === null ? undefined : attributes.get(parentNodeId);
    const assigned = inheritance.attributesOf(inherited, ownAssignments(content, nodeId));
    attributes.set(nodeId, assigned);
    const leaf = parentNodeId !== null && !parents.has(nodeId);
    return { nodeId, id, parentNodeId, name, active, leaf, attributes: assigned };
  });
}

const NO_ASSIGNMENTS: readonly OwnAssignment[] = [];

function ownAssignments(content: SnapshotContent, nodeId: number): readonly OwnAssignment[] {
  const own = content.assignments[nodeId];
  return own === undefined ? NO_ASSIGNMENTS : own.map(([attributeId, mandatory]) => ({ attributeId, mandatory }));
}

/** Composed as json, which is text, and parsed once: with jsonb_agg, 10 lists of 10,000 options take seconds. */
const STORE_SNAPSHOT = `
  INSERT INTO definition_snapshot (site_id, version, content)
  SELECT :siteId, :version, json_build_object(
    'attributes', coalesce((
      SELECT json_agg(json_build_object('id', id, 'name', name, 'type', type, 'position', position, 'definition', definition) ORDER BY position, id)
      FROM attribute WHERE site_id = :siteId), '[]'),
    'mappings', coalesce((
      SELECT json_object_agg(mapping, attribute_id) FROM attribute_mapping WHERE site_id = :siteId), '{}'),
    'categories', coalesce((
      SELECT json_agg(json_build_array(c.node_id, c.id, p.node_id, c.name, c.active) ORDER BY c.depth, c.sort_order, c.node_id)
      FROM category c LEFT JOIN category p ON p.id = c.parent_id WHERE c.site_id = :siteId AND c.tree = 'PRIMARY'), '[]'),
    'assignments', coalesce((
      SELECT json_object_agg(node_id, own) FROM (
        SELECT c.node_id, json_agg(json_build_array(a.attribute_id, a.mandatory) ORDER BY a.position, a.attribute_id) AS own
        FROM category c JOIN category_attribute a ON a.category_id = c.id
        WHERE c.site_id = :siteId AND c.tree = 'PRIMARY' GROUP BY c.node_id) AS assigned), '{}'))::jsonb
  ON CONFLICT ON CONSTRAINT definition_snapshot_pk DO NOTHING
`;
