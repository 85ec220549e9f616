/** The body of requests for the templates of items and bundles. */
import { z } from 'zod';
import { categoryReference } from '../../category-reference.js';
import { templateFormat } from './template-request.js';

export const categoryTemplateBody = z
  .object({ categoryId: categoryReference.nullish(), nodeId: categoryReference.nullish(), format: templateFormat })
  .refine(({ categoryId, nodeId }) => !(categoryId && nodeId), {
    path: ['nodeId'],
    message: 'name the category by "categoryId" or by "nodeId", and not by both',
  });
