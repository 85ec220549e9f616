/** The registry of all endpoints. A route that is not listed here does not exist. */
import type { Route } from '../define-route.js';
import { attributeRoutes } from './attributes.js';
import { auditRoutes } from './audit.js';
import { categoryRoutes } from './categories.js';
import { categoryContentRoutes } from './category-contents.js';
import { changeRoutes } from './changes.js';
import { docsRoutes } from './docs.js';
import { documentRoutes } from './documents.js';
import { exportRoutes } from './exports.js';
import { feedRoutes } from './feeds.js';
import { fileByteRoutes } from './file-bytes.js';
import { fileRoutes } from './files.js';
import { guideRoutes } from './guide.js';
import { healthRoutes } from './health.js';
import { importProfileRoutes } from './import-profiles.js';
import { itemRoutes } from './items.js';
import { jobRoutes } from './jobs.js';
import { oauthRoutes } from './oauth.js';
import { operatorRoutes } from './operator.js';
import { peopleRoutes } from './people.js';
import { publishedFileRoutes } from './published-files.js';
import { receiverRoutes } from './receiver.js';
import { sessionRoutes } from './sessions.js';
import { siteSettingsRoutes } from './site-settings.js';
import { stageRoutes } from './stages.js';
import { templateRoutes } from './templates.js';
import { viewRoutes } from './views.js';
import { eventRoutes } from './webhook-events.js';
import { webhookRoutes } from './webhooks.js';

export const routes: readonly Route[] = [
  ...oauthRoutes,
  ...sessionRoutes,
  ...peopleRoutes,
  ...auditRoutes,
  ...attributeRoutes,
  ...categoryRoutes,
  ...categoryContentRoutes,
  ...itemRoutes,
  ...changeRoutes,
  ...templateRoutes,
  ...siteSettingsRoutes,
  ...fileRoutes,
  ...fileByteRoutes,
  ...importProfileRoutes,
  ...feedRoutes,
  ...exportRoutes,
  ...publishedFileRoutes,
  ...viewRoutes,
  ...stageRoutes,
  ...jobRoutes,
  ...documentRoutes,
  // Before the definitions: one of these paths, /webhook/event-types, has the form of theirs, /webhook/{webhookId}.
  ...eventRoutes,
  ...webhookRoutes,
  ...receiverRoutes,
  ...healthRoutes,
  ...operatorRoutes,
  ...guideRoutes,
  ...docsRoutes,
];
