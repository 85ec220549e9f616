/** The endpoint that answers what is in an uploaded file. */
import { z } from 'zod';
import { findFile } from '../../../domain/files/find-file.js';
import { inspectionSchema } from '../../../domain/inspection/model/inspection.js';
import { inspectedRows } from '../../../domain/proposals/model/inspection-job.js';
import { defineRoute } from '../../define-route.js';
import { INSPECTING, INSPECTION_REFUSALS, whenInspected } from './when-inspected.js';

const inspected = z.object({ inspection: inspectionSchema.meta({ id: 'FileInspection' }) });

export const inspectFileRoute = defineRoute({
  method: 'GET',
  path: '/files/product/:id/inspection',
  operationId: 'inspectFile',
  family: 'files',
  tag: 'Files',
  summary: 'Inspect an uploaded file',
  description:
    'Answers how the file is written, what kind of file it is and what its columns are. The first call starts a job that reads the whole file; until it has ended, the answer is 202. Nothing of the catalog is changed.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  params: z.object({ id: z.string() }),
  query: inspectedRows.strict(),
  prefersWait: true,
  refusals: INSPECTION_REFUSALS,
  responses: {
    200: { description: 'What is in the file', schema: inspected },
    202: INSPECTING,
  },
  async handle(request, services) {
    const file = await findFile(services.db, request.site.siteId, request.params.id);
    return whenInspected(request, services, file, request.query, async (inspection) => ({
      status: 200,
      body: { inspection },
    }));
  },
});
