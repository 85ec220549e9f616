/** The product CSV of Shopify: the rows of a product have one handle; the first has its texts, and each an image. */
import { HTML, INHERITED, importBody, tableText } from './table.mjs';

const HEADER = [
  ...['Handle', 'Title', 'Body (HTML)', 'Vendor', 'Product Category', 'Type', 'Tags', 'Published'],
  ...[1, 2, 3].flatMap((n) => [`Option${n} Name`, `Option${n} Value`, `Option${n} Linked To`]),
  ...['Variant SKU', 'Variant Grams', 'Variant Inventory Tracker', 'Variant Inventory Qty', 'Variant Inventory Policy'],
  ...['Variant Fulfillment Service', 'Variant Price', 'Variant Compare At Price', 'Variant Requires Shipping'],
  ...['Variant Taxable', 'Variant Barcode', 'Image Src', 'Image Position', 'Image Alt Text', 'Gift Card', 'SEO Title'],
  ...['SEO Description', 'Variant Image', 'Variant Weight Unit', 'Variant Tax Code', 'Cost per item', 'Status'],
];
const CATEGORIES = {
  Clothing: ['Apparel & Accessories', 'Clothing'],
  Camping: ['Sporting Goods', 'Outdoor Recreation', 'Camping & Hiking'],
};

export function shopifyFiles(goods) {
  const categories = goods.map(categoryOf);
  return {
    'shopify.csv': tableText(HEADER, goods.flatMap(rowsOf)),
    'shopify-products.import.json': importBody(
      'shopify-products',
      PRODUCTS,
      categories.map((path) => path.join('->')),
    ),
    'shopify-variants.import.json': importBody('shopify-variants', VARIANTS, ['Variants']),
    'shopify-variants-by-options.import.json': importBody(
      'shopify-variants-by-options',
      { ...VARIANTS, 'SKU in Shopify': 'TEXT' },
      ['Variants'],
    ),
  };
}

/** Most products have a category of Shopify's taxonomy. */
function categoryOf({ path, handle }) {
  return handle === 'gas-stove' ? ['Uncategorized'] : [...CATEGORIES[path[0]], path.at(-1)];
}

function rowsOf(good) {
  const { handle, title, images } = good;
  const rows = good.variants.map((variant) => ({ Handle: handle, ...variantCells(good, variant) }));
  while (rows.length < images.length) rows.push({ Handle: handle });
  images.forEach((image, index) => {
    Object.assign(rows[index], { 'Image Src': image, 'Image Position': index + 1, 'Image Alt Text': title });
  });
  Object.assign(rows[0], productCells(good));
  return rows;
}

function productCells(good) {
  const category = categoryOf(good);
  const names = Object.keys(good.options);
  return {
    Title: good.title,
    'Body (HTML)': good.html,
    Vendor: good.brand,
    'Product Category': category.length > 1 ? category.join(' > ') : '',
    Type: good.path.at(-1),
    Tags: good.tags.join(', '),
    Published: good.active ? 'true' : 'false',
    'Option1 Name': names[0] ?? 'Title',
    'Option2 Name': names[1],
    'Gift Card': 'false',
    'SEO Title': `${good.title} | Outdoor Shop`,
    'SEO Description': good.text,
    Status: good.active ? 'active' : 'draft',
  };
}

function variantCells({ grams, compareAt, images }, { sku, values, price, stock, barcode }) {
  const [first = 'Default Title', second] = Object.values(values);
  return {
    'Option1 Value': first,
    'Option2 Value': second,
    'Variant SKU': sku,
    'Variant Grams': grams.toFixed(1),
    'Variant Inventory Tracker': 'shopify',
    'Variant Inventory Qty': stock,
    'Variant Inventory Policy': 'deny',
    'Variant Fulfillment Service': 'manual',
    'Variant Price': price.toFixed(2),
    'Variant Compare At Price': compareAt?.toFixed(2),
    'Variant Requires Shipping': 'true',
    'Variant Taxable': 'true',
    'Variant Barcode': barcode,
    'Variant Image': values.Color === undefined ? '' : images[0],
    'Variant Weight Unit': 'g',
    'Cost per item': (price * 0.55).toFixed(2),
  };
}

const PRODUCTS = {
  Title: INHERITED,
  Description: HTML,
  Brand: INHERITED,
  'Product Type': 'TEXT',
  Tags: 'TEXT',
  Active: 'BOOLEAN',
  Status: 'TEXT',
  'Option 1 Name': 'TEXT',
  'Option 2 Name': 'TEXT',
  'Option 3 Name': 'TEXT',
  Images: 'TEXT',
  Image: 'URL',
  'SEO Title': 'TEXT',
  'SEO Description': 'TEXT',
};

const VARIANTS = {
  Title: INHERITED,
  Brand: INHERITED,
  'Option 1': 'TEXT',
  'Option 2': 'TEXT',
  'Option 3': 'TEXT',
  Price: 'DECIMAL',
  'Compare-at Price': 'DECIMAL',
  Cost: 'DECIMAL',
  Stock: 'INTEGER',
  'Weight in Grams': 'DECIMAL',
  Barcode: 'TEXT',
  'Variant Image': 'URL',
};
