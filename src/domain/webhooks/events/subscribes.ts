/** Says in SQL whether a definition subscribes to an event. */
import { receives } from '../delivery-rows/delivery-sql.js';

/** Whether a `definition` of the site :siteId gets or collects an event `given` (source, names, channel). */
export const SUBSCRIBES = `definition.site_id = :siteId AND definition.source = given.source AND ${receives('definition')}
  AND definition.events && given.names AND (definition.channel IS NULL OR definition.channel = given.channel)`;
