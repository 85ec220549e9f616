/** Finds the categories that rows were about, for who asks what became of them. */
import type { Db } from '../../../../db/connection.js';
import type { CategoryPlace } from '../../catalog/categories/category-input.js';
import { CategoryForest } from './category-forest.js';
import { locateForest, namedPlace, placesOfReferences } from './read-category.js';

interface FoundPlace {
  readonly id: string;
  readonly nodeId: number;
  readonly path: string;
}

/** In the order of the places; undefined where no category is there now. */
export async function findPlaces(
  db: Db,
  siteId: number,
  places: readonly (CategoryPlace | undefined)[],
): Promise<(FoundPlace | undefined)[]> {
  const references = places.flatMap((place) => (place !== undefined && 'parent' in place ? [place.parent] : []));
  const parents = await placesOfReferences(db, siteId, references);
  const forest = new CategoryForest();
  const nodes = places.map((place) => {
    const named = place && namedPlace(place, parents);
    return named && forest.plant(named.tree, named.names);
  });
  await locateForest(db, siteId, forest);
  return nodes.map((node) => {
    if (node === undefined || node.stored === null) return undefined;
    return { id: node.stored.id, nodeId: node.stored.nodeId, path: node.path };
  });
}
