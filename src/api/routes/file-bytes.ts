/** The endpoints that move the bytes of files: uploads and downloads by signed URLs, and the end of other uploads. */
import type { Route } from '../define-route.js';
import { completeUploadRoute } from './file-bytes/complete-upload.js';
import { downloadFileRoute } from './file-bytes/download.js';
import { uploadFileRoute } from './file-bytes/upload.js';

export const fileByteRoutes: readonly Route[] = [uploadFileRoute, completeUploadRoute, downloadFileRoute];
