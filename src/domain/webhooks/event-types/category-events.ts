/** Events of category trees. */
import { z } from 'zod';
import { defineEventType } from './event-type.js';

export const categoryDeleted = defineEventType({
  name: 'CATEGORY_DELETED',
  source: 'CATALOG',
  audience: 'subscribers',
  description: 'a category was deleted from a category tree',
  payload: z.strictObject({
    id: z.string(),
    nodeId: z.int(),
    name: z.string(),
    type: z.enum(['PRIMARY', 'ALTERNATE']).meta({ description: 'The category tree that contained it' }),
  }),
  example: { id: '6920e1f0a1b2c3d4e5f60718', nodeId: 12, name: 'Winter coats', type: 'PRIMARY' },
});
