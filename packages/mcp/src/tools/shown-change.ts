/** How a change is shown to an assistant: without members that say nothing. */
import type { schemas } from '@longshore/client';

export function shownChange(change: schemas.Change): Record<string, unknown> {
  const { attributes, fields, definition, ...others } = change;
  const said = Object.entries(others).filter(([, value]) => value !== null);
  return {
    ...Object.fromEntries(said),
    ...(Object.keys(attributes).length === 0 ? {} : { attributes }),
    ...(Object.keys(fields).length === 0 ? {} : { fields }),
    ...(definition === null ? {} : { definition }),
  };
}
