/** The registry of all endpoints. A route that is not listed here does not exist. */
import type { Route } from '../define-route.js';
import { bulkAttributesRoute } from './attributes/bulk-attributes.js';
import { listAttributesRoute } from './attributes/list-attributes.js';
import { bulkUpsertCategoriesRoute } from './categories/bulk-upsert-categories.js';
import { createCategoryRoute } from './categories/create-category.js';
import { deleteCategoryRoute } from './categories/delete-category.js';
import { listCategoriesRoute } from './categories/list-categories.js';
import { listItemAttributesRoute } from './categories/list-item-attributes.js';
import { readCategoryTreeRoute } from './categories/read-category-tree.js';
import { setCategoryItemsRoute } from './categories/set-category-items.js';
import { setItemAttributesRoute } from './categories/set-item-attributes.js';
import { updateCategoryRoute } from './categories/update-category.js';
import { docsAsset } from './docs/docs-asset.js';
import { docsPage } from './docs/docs-page.js';
import { openapiDocument } from './docs/openapi-document.js';
import { redirectToDocs } from './docs/redirect-to-docs.js';
import { createDocumentRoute } from './documents/create-document.js';
import { deleteDocumentRoute } from './documents/delete-document.js';
import { readDocumentRoute } from './documents/read-document.js';
import { updateDocumentRoute } from './documents/update-document.js';
import { emitEventRoute } from './events/emit-event.js';
import { exportFilteredAttributesRoute } from './exports/export-filtered-attributes.js';
import { exportFilteredBundlesRoute } from './exports/export-filtered-bundles.js';
import { exportFilteredCategoriesRoute } from './exports/export-filtered-categories.js';
import { exportFilteredItemsRoute } from './exports/export-filtered-items.js';
import { exportNamedAttributesRoute } from './exports/export-named-attributes.js';
import { exportNamedBundlesRoute } from './exports/export-named-bundles.js';
import { exportNamedCategoriesRoute } from './exports/export-named-categories.js';
import { exportNamedItemsRoute } from './exports/export-named-items.js';
import { announceFileRoute } from './files/announce-file.js';
import { downloadFileRoute } from './files/download-file.js';
import { listFilesRoute } from './files/list-files.js';
import { readFileRoute } from './files/read-file.js';
import { signDownloadRoute } from './files/sign-download.js';
import { uploadFileRoute } from './files/upload-file.js';
import { alive } from './health/alive.js';
import { ready } from './health/ready.js';
import { bulkDeleteItemsRoute } from './items/bulk-delete-items.js';
import { bulkInsertItemsRoute } from './items/bulk-insert-items.js';
import { bulkUpdateItemsRoute } from './items/bulk-update-items.js';
import { bulkUpsertItemsRoute } from './items/bulk-upsert-items.js';
import { listItemsRoute } from './items/list-items.js';
import { readItemRoute } from './items/read-item.js';
import { cancelJobRoute } from './jobs/cancel-job.js';
import { listJobErrorsRoute } from './jobs/list-job-errors.js';
import { listJobsRoute } from './jobs/list-jobs.js';
import { readJobRoute } from './jobs/read-job.js';
import { readJobResultRoute } from './jobs/read-job-result.js';
import { listAttributeMappingsRoute } from './mappings/list-attribute-mappings.js';
import { setAttributeMappingsRoute } from './mappings/set-attribute-mappings.js';
import { sendNotificationRoute } from './notifications/send-notification.js';
import { issueToken } from './oauth/issue-token.js';
import { createAttributeTemplateRoute } from './templates/create-attribute-template.js';
import { createBundleTemplateRoute } from './templates/create-bundle-template.js';
import { createCategoryTemplateRoute } from './templates/create-category-template.js';
import { createItemTemplateRoute } from './templates/create-item-template.js';
import { createWebhookRoute } from './webhooks/create-webhook.js';
import { deleteWebhookRoute } from './webhooks/delete-webhook.js';
import { disableWebhookRoute } from './webhooks/disable-webhook.js';
import { enableWebhookRoute } from './webhooks/enable-webhook.js';
import { listEventTypesRoute } from './webhooks/list-event-types.js';
import { listWebhooksRoute } from './webhooks/list-webhooks.js';
import { queryEventsRoute } from './webhooks/query-events.js';
import { readWebhookRoute } from './webhooks/read-webhook.js';
import { retryWebhookRoute } from './webhooks/retry-webhook.js';
import { rotateWebhookSecretRoute } from './webhooks/rotate-webhook-secret.js';
import { testWebhookRoute } from './webhooks/test-webhook.js';
import { updateWebhookRoute } from './webhooks/update-webhook.js';

export const routes: readonly Route[] = [
  issueToken,

  bulkAttributesRoute,
  listAttributesRoute,
  setAttributeMappingsRoute,
  listAttributeMappingsRoute,
  createCategoryRoute,
  updateCategoryRoute,
  deleteCategoryRoute,
  bulkUpsertCategoriesRoute,
  listCategoriesRoute,
  readCategoryTreeRoute,
  setCategoryItemsRoute,
  setItemAttributesRoute,
  listItemAttributesRoute,
  bulkDeleteItemsRoute,
  bulkInsertItemsRoute,
  bulkUpsertItemsRoute,
  bulkUpdateItemsRoute,
  listItemsRoute,
  readItemRoute,
  createItemTemplateRoute,
  createBundleTemplateRoute,
  createAttributeTemplateRoute,
  createCategoryTemplateRoute,
  announceFileRoute,
  uploadFileRoute,
  listFilesRoute,
  readFileRoute,
  signDownloadRoute,
  downloadFileRoute,

  exportNamedItemsRoute,
  exportFilteredItemsRoute,
  exportNamedBundlesRoute,
  exportFilteredBundlesRoute,
  exportNamedAttributesRoute,
  exportFilteredAttributesRoute,
  exportNamedCategoriesRoute,
  exportFilteredCategoriesRoute,

  listJobsRoute,
  readJobRoute,
  cancelJobRoute,
  listJobErrorsRoute,
  readJobResultRoute,

  createDocumentRoute,
  readDocumentRoute,
  updateDocumentRoute,
  deleteDocumentRoute,
  sendNotificationRoute,
  createWebhookRoute,
  listWebhooksRoute,
  listEventTypesRoute,
  queryEventsRoute,
  retryWebhookRoute,
  readWebhookRoute,
  updateWebhookRoute,
  deleteWebhookRoute,
  testWebhookRoute,
  rotateWebhookSecretRoute,
  enableWebhookRoute,
  disableWebhookRoute,
  emitEventRoute,

  alive,
  ready,
  openapiDocument(() => routes),
  docsPage,
  docsAsset,
  redirectToDocs,
];
