/** The endpoint that sums up deliveries by day. */
import { z } from 'zod';
import { deliveryStatistics } from '../../../domain/webhooks/delivery-statistics.js';
import { defineRoute } from '../../define-route.js';
import { statisticsDays, statisticsQuery, statisticsSince } from '../../statistics-query.js';
import { ofWebhooks } from './common.js';

export const deliveryStatisticsRoute = defineRoute({
  ...ofWebhooks,
  method: 'GET',
  path: '/api/v2/webhook/statistics',
  operationId: 'getDeliveryStatistics',
  summary: 'Sum up deliveries by day',
  description: 'What has become of the deliveries of the events of each day, callbacks of jobs included.',
  auth: { scope: 'webhooks:read' },
  query: statisticsQuery,
  responses: {
    200: {
      description: 'The sums',
      schema: z
        .object({
          since: statisticsSince,
          days: statisticsDays({
            events: z.int(),
            delivered: z.int(),
            pending: z.int(),
            failed: z.int().meta({ description: 'Those that failed permanently or were cancelled' }),
          }),
        })
        .meta({ id: 'DeliveryStatistics' }),
    },
  },
  async handle({ query, site }, { db }) {
    const { since, days } = await deliveryStatistics(db, site.siteId, query);
    return { status: 200, body: { since: since.toISOString(), days: [...days] } };
  },
});
