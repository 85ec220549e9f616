/** Finds the categories that rows name, for the result of a job. */
import type { Db } from '../../../../db/connection.js';
import type { CategoryPlace } from '../../catalog/categories/category-input.js';
import { CategoryTrees } from './category-trees.js';
import { locateTrees, namedPlace, placesOfReferences } from './locate-trees.js';

interface FoundPlace {
  readonly id: string;
  readonly nodeId: number;
  readonly path: string;
}

/** Finds the categories at these places, in order; undefined where no category exists now. */
export async function findPlaces(
  db: Db,
  siteId: number,
  places: readonly (CategoryPlace | undefined)[],
): Promise<(FoundPlace | undefined)[]> {
  const references = places.flatMap((place) => (place !== undefined && 'parent' in place ? [place.parent] : []));
  const parents = await placesOfReferences(db, siteId, references);
  const trees = new CategoryTrees();
  const nodes = places.map((place) => {
    const named = place && namedPlace(place, parents);
    return named && trees.place(named.tree, named.names);
  });
  await locateTrees(db, siteId, trees);
  return nodes.map((node) => {
    if (node === undefined || node.stored === null) return undefined;
    return { id: node.stored.id, nodeId: node.stored.nodeId, path: node.path };
  });
}
