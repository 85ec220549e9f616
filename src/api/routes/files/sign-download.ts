/** GET /files/product/{id}/actions/download */
import { z } from 'zod';
import { requireBytes } from '../../../domain/files/download-file.js';
import { findFile } from '../../../domain/files/find-file.js';
import { defineRoute } from '../../define-route.js';
import { expiryAfter, signedLocation } from './signed-location.js';

const VALID_MS = 5 * 60_000;

export const signDownloadRoute = defineRoute({
  method: 'GET',
  path: '/files/product/:id/actions/download',
  family: 'files',
  tag: 'Files',
  summary: 'Get a URL to download a file from',
  description: 'The URL is valid for 5 minutes and needs no token.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  params: z.object({ id: z.string() }),
  responses: {
    200: { description: 'The URL', schema: z.object({ location: z.url(), expiresAt: z.iso.datetime() }) },
  },
  async handle({ params, site }, services) {
    const file = await findFile(services.db, site.siteId, params.id);
    requireBytes(file);
    const expiresAt = expiryAfter(VALID_MS);
    const location = signedLocation(services, 'download', file.id, expiresAt);
    return { status: 200, body: { location, expiresAt: expiresAt.toISOString() } };
  },
});
