/**
 * Words that name the columns of shops, in German, English, French, Polish, Japanese, Italian, Spanish and Dutch, and the
 * most frequent ones in Czech, Russian, Chinese, Korean, Turkish, Greek, Lithuanian, Hungarian, Romanian, Croatian, the
 * languages of the north, Portuguese, Ukrainian, Vietnamese, Hebrew, Arabic, Persian and Thai.
 */

/** What a word stands for, whatever its language is. The words of a concept are separated by `;`. */
const WORDS = {
  sku: `sku; article number; article no; article code; item number; item no; item code; item id; item sku; product code;
    product number; product no; product id; product sku; stock keeping unit; stock code; part number; part no; style number;
    variant sku; custom label; custom sku; default code; internal reference; artikelnummer; artikel-nr; artikelnr; art-nr; art nr; artnr; artikel nummer; artikelcode; artikel;
    artikel-id; artikelkennung; bestellnummer; bestell-nr; produktnummer; produkt-nr; produktcode; produkt-id; teilenummer;
    materialnummer; référence; reference; réf; ref; référence produit; référence article; code article; code produit;
    numéro article; indeks; symbol; kod produktu; kod towaru; numer katalogowy; nr katalogowy; indeks towaru; 商品番号;
    商品コード; 品番; 商品管理番号; 商品id; 型番コード; codice; codice articolo; codice prodotto; cod articolo; código;
    código de producto; código producto; código artículo; referencia; referencia producto; ref producto; artikelnummer sku;
    productcode; productnummer; bestelcode;
    kód; kód produktu; kód zboží; katalogové číslo; artikl; артикул; код товара; код; номенклатура;
    商品编号; 货号; 商品编码; 商品編號; 貨號; 상품코드; 상품번호; 품번; stok kodu; ürün kodu; κωδικός; κωδικός προϊόντος;
    prekės kodas;
    cikkszám; cod produs; cod articol; šifra; šifra artikla; varenummer; varenr; tuotenumero; tuotekoodi; tootekood;
    preces kods; mã sản phẩm; mã hàng; מק"ט; קוד מוצר; رمز المنتج; كود المنتج; رقم الصنف; کد کالا; کد محصول;
    รหัสสินค้า; артикул товару; код на продукт; código do produto`,
  name: `name; title; product name; product title; item name; label; bezeichnung; artikelbezeichnung; produktbezeichnung;
    artikelname; produktname; titel; produkttitel; benennung; désignation; libellé; nom; nom du produit; nom produit; titre;
    intitulé; nazwa; nazwa produktu; nazwa towaru; tytuł; 商品名; 名称; 品名; 製品名; タイトル; nome; nome prodotto; titolo;
    denominazione; descrizione breve titolo; nombre; nombre del producto; nombre producto; título; denominación; naam;
    productnaam; artikelnaam; omschrijving kort titel;
    název; název produktu; název zboží; название; наименование; название товара;
    商品名称; 名稱; 商品名稱; 상품명; 제품명; ürün adı; όνομα; όνομα προϊόντος; pavadinimas;
    megnevezés; terméknév; denumire; denumire produs; nume produs; naziv; naziv artikla; navn; varenavn; produktnavn;
    benämning; produktnamn; namn; nimi; tuotenimi; toote nimi; nosaukums; nome do produto; назва; назва товару;
    наименование на продукта; tên sản phẩm; tên hàng; שם מוצר; שם המוצר; اسم المنتج; اسم الصنف; نام کالا; نام محصول;
    ชื่อสินค้า`,
  shortDescription: `short description; summary; teaser; kurzbeschreibung; kurztext; kurzbezeichnung; description courte;
    résumé; accroche; krótki opis; opis krótki; skrócony opis; 概要; 短い説明; descrizione breve; breve descrizione;
    descripción corta; descripción breve; korte omschrijving; korte beschrijving;
    krátký popis; краткое описание;
    rövid leírás; descriere scurtă; descrição curta; короткий опис; mô tả ngắn; תיאור קצר; وصف مختصر`,
  description: `description; long description; product description; body; body html; body (html); details; beschreibung;
    langtext; langbeschreibung; produktbeschreibung; artikelbeschreibung; artikeltext; description longue;
    description produit; descriptif; opis; opis produktu; długi opis; 説明; 商品説明; 説明文; 詳細; descrizione;
    descrizione prodotto; descripción; descripción larga; descripción del producto; omschrijving; beschrijving;
    productomschrijving;
    popis; popis produktu; dlouhý popis; описание; описание товара;
    商品描述; 描述; 상품설명; 설명; açıklama; περιγραφή; aprašymas;
    leírás; descriere; beskrivelse; beskrivning; kuvaus; descrição; опис; описание на продукта; mô tả; mô tả sản phẩm;
    תיאור; תיאור מוצר; الوصف; وصف المنتج; توضیحات; รายละเอียด; รายละเอียดสินค้า`,
  price: `price; sale price; selling price; retail price; unit price; gross price; net price; regular price; variant price;
    preis; verkaufspreis; vk; vk-preis; vk preis; vk brutto; bruttopreis; nettopreis; einzelpreis; prix; prix de vente;
    prix ttc; prix ht; prix unitaire; tarif; cena; cena sprzedaży; cena brutto; cena netto; 価格; 販売価格; 売価; 単価; prezzo;
    prezzo di vendita; precio; precio de venta; pvp; prijs; verkoopprijs;
    prodejní cena; cena s dph; цена; розничная цена; цена продажи;
    价格; 售价; 單價; 價格; 售價; 가격; 판매가; fiyat; satış fiyatı; τιμή; kaina;
    bruttó ár; nettó ár; eladási ár; preț; preț de vânzare; cijena; pris; utpris; salgspris; försäljningspris; hinta;
    myyntihinta; preço; preço de venda; ціна; giá bán; giá sản phẩm; מחיר; מחיר מכירה; السعر; سعر البيع; قیمت; ราคา;
    ราคาขาย`,
  listPrice: `list price; msrp; rrp; compare at price; uvp; listenpreis; streichpreis; empfohlener verkaufspreis;
    prix conseillé; prix public; prix barré; cena katalogowa; 定価; 希望小売価格; prezzo di listino; precio recomendado;
    precio de lista; adviesprijs`,
  cost: `cost; cost price; purchase price; cost per item; ek; ek-preis; einkaufspreis; einstandspreis; prix d'achat;
    cena zakupu; 仕入価格; 原価; prezzo di acquisto; costo; coste; precio de compra; precio de coste; inkoopprijs;
    nákupní cena; закупочная цена; себестоимость`,
  category: `category; categories; category path; category name; product category; product type; categories path;
    category 1; product category 1; kategorie 1;
    department; taxonomy; breadcrumb; kategorie; kategorien; kategoriepfad; warengruppe; produktgruppe; artikelgruppe; gruppe;
    produktkategorie; sortiment; catégorie; catégories; rubrique; famille; rayon; kategoria; kategorie produktu; grupa;
    grupa towarowa; カテゴリ; カテゴリー; 分類; 商品分類; categoria; categorie; reparto; categoría; categorías; familia;
    categorie pad; productgroep; productcategorie;
    kategorie produktů; категория; категория товара; раздел; группа;
    分类; 商品分类; 类别; 類別; 카테고리; 분류; kategori; κατηγορία; kategorija;
    kategória; luokka; категорія; danh mục; nhóm hàng; קטגוריה; الفئة; القسم; دسته بندی; หมวดหมู่`,
  parent: `parent sku; parent; parent id; parent item; parent product; parent code; item group id; master sku; elternartikel;
    eltern-sku; eltern sku; vaterartikel; hauptartikel; hauptartikelnummer; parent artikelnummer; stammartikel;
    sku parent; parent référence; référence parent; article parent; produit parent; sku nadrzędne; produkt nadrzędny;
    indeks nadrzędny; 親sku; 親商品番号; 親商品コード; sku padre; prodotto padre; articolo padre; producto padre;
    artículo padre; referencia padre; hoofdartikel; parent artikel`,
  image: `image; images; image url; image urls; image link; image src; picture; picture url; photo; main image; thumbnail;
    bild; bilder; bild-url; bild url; bildlink; bild-link; produktbild; hauptbild; foto; foto-url; image principale;
    url image; lien image; visuel; zdjęcie; zdjęcia; obraz; obrazek; link do zdjęcia; url zdjęcia; 画像; 画像url; 商品画像;
    写真; immagine; immagini; url immagine; imagen; imágenes; url imagen; enlace imagen; afbeelding; afbeeldingen;
    afbeelding url;
    obrázek; obrázky; foto url; изображение; картинка; фото;
    图片; 商品图片; 圖片; 商品圖片; 이미지; 상품이미지; resim; görsel; εικόνα; nuotrauka;
    kép url; imagine; imagini; slika; bilde; kuva; imagem; imagens; зображення; hình ảnh; תמונה; תמונות; الصورة;
    صورة المنتج; تصویر; รูปภาพ`,
  link: `link; url; product link; product url; deeplink; produktlink; produkt-url; artikellink; lien; lien produit;
    url produit; link do produktu; adres url; 商品リンク; 商品url; リンク; collegamento; link prodotto; enlace;
    enlace producto; url producto; productlink;
    odkaz; ссылка`,
  brand: `brand; brand name; manufacturer; vendor; make; marke; markenname; hersteller; herstellername; marque; fabricant;
    marka; producent; ブランド; ブランド名; メーカー; marca; produttore; fabricante; merk; fabrikant;
    značka; výrobce; бренд; производитель; торговая марка;
    品牌; 브랜드; 제조사; üretici; μάρκα; prekės ženklas;
    gyártó; márka; producător; varumärke; varemerke; tuotemerkki; valmistaja; виробник; производител; thương hiệu;
    מותג; יצרן; الماركة; العلامة التجارية; برند; แบรนด์; ยี่ห้อ`,
  ean: `ean; ean code; ean-code; ean13; ean 13; ean-13; gtin; gtin-13; gtin13; upc; upc code; barcode; bar code; isbn;
    variant barcode; strichcode; code barre; code barres; code-barres; gencod; kod kreskowy; kod ean; jan; janコード;
    バーコード; codice a barre; codice ean; código de barras; código ean; streepjescode;
    čárový kód; штрихкод; штрих-код;
    条码; 條碼; 바코드; barkod; brūkšninis kodas;
    vonalkód; cod de bare; strekkode; streckkod; stregkode; viivakoodi; mã vạch; ברקוד; الباركود; باركود; بارکد;
    บาร์โค้ด`,
  mpn: `mpn; manufacturer part number; manufacturer number; manufacturer code; herstellernummer; hersteller-nr;
    herstellerartikelnummer; herstellerteilenummer; référence fabricant; code fabricant; numer producenta;
    kod producenta; メーカー品番; メーカー型番; 型番; codice produttore; referencia fabricante; fabrikantcode`,
  stock: `stock; stock level; stock quantity; inventory; inventory quantity; quantity; qty; quantity in stock; on hand;
    available quantity; bestand; lagerbestand; lagermenge; verfügbare menge; menge; anzahl; stan; stan magazynowy; ilość;
    quantité; quantité en stock; 在庫; 在庫数; 数量; giacenza; quantità; scorte; disponibilità; existencias; cantidad;
    inventario; voorraad; aantal;
    sklad; skladem; množství; počet kusů; остаток; количество; наличие; в наличии;
    库存; 庫存; 재고; stok; stok adedi; απόθεμα; likutis;
    készlet; raktárkészlet; stoc; zaliha; zalihe; količina; lagersaldo; lagerantal; antal; varasto; varastosaldo;
    estoque; quantidade; залишок; кількість; наличност; tồn kho; số lượng; số lượng tồn; מלאי; כמות; المخزون; الكمية;
    موجودی; สต็อก; จำนวนคงเหลือ`,
  status: `status; state; item status; product status; artikelstatus; statut; état; stan produktu; ステータス; 状態; stato;
    estado;
    stav; статус`,
  active: `active; is active; enabled; is enabled; published; visible; online; aktiv; ist aktiv; freigegeben; sichtbar;
    actif; activé; publié; en ligne; aktywny; aktywna; widoczny; 有効; 公開; 表示; attivo; pubblicato; visibile; activo;
    publicado; actief; zichtbaar;
    aktivní; активен; активно; опубликован`,
  delete: `delete; deleted; remove; removed; löschen; gelöscht; löschkennzeichen; supprimer; supprimé; usuń; usunięty; 削除;
    elimina; eliminato; eliminar; eliminado; borrar; verwijderen; verwijderd;
    smazat; удалить`,
  weight: `weight; net weight; gross weight; gewicht; nettogewicht; bruttogewicht; poids; poids net; waga; waga netto;
    masa; 重量; 重さ; peso; peso netto; peso neto;
    hmotnost; váha; вес; масса;
    súly; tömeg; greutate; vekt; vikt; vægt; paino; вага; trọng lượng; khối lượng; משקל; الوزن; وزن; น้ำหนัก`,
  length: `length; länge; longueur; długość; 長さ; lunghezza; largo; longitud; lengte;
    délka; длина`,
  width: `width; breite; largeur; szerokość; 幅; larghezza; ancho; anchura; breedte;
    šířka; ширина;
    宽度; 寬度; 너비; genişlik; πλάτος; plotis`,
  height: `height; höhe; hauteur; wysokość; 高さ; altezza; alto; altura; hoogte;
    výška; высота`,
  depth: `depth; tiefe; profondeur; głębokość; 奥行; 奥行き; profondità; profundidad; diepte;
    hloubka; глубина`,
  colour: `colour; color; farbe; farben; couleur; kolor; kolory; 色; カラー; colore; kleur; colores;
    barva; barvy; цвет; цвета;
    颜色; 顏色; 색상; renk; χρώμα; spalva;
    szín; culoare; boja; farge; färg; farve; väri; cor; колір; màu sắc; צבע; اللون; رنگ; สี`,
  size: `size; größe; taille; pointure; rozmiar; サイズ; taglia; misura; talla; tamaño; maat;
    velikost; размер;
    méret; mărime; veličina; størrelse; storlek; koko; tamanho; розмір; kích thước; kích cỡ; מידה; المقاس; سایز; ขนาด`,
  material: `material; fabric; werkstoff; stoff; matière; matériau; materiał; 素材; 材質; materiale; materiaal;
    materiál; материал; состав`,
  seoTitle: `meta title; seo title; page title; seo titel; meta titel; balise titre; méta titre; meta título; meta titolo`,
  seoDescription: `meta description; seo description; meta beschreibung; seo beschreibung; méta description;
    meta descripción; meta descrizione; meta omschrijving`,
  keywords: `keywords; tags; search terms; schlagworte; schlagwörter; suchbegriffe; stichworte; mots-clés; mots clés;
    słowa kluczowe; tagi; キーワード; タグ; parole chiave; palabras clave; etiquetas; trefwoorden; zoekwoorden;
    klíčová slova; štítky; ключевые слова; теги`,
  country: `country; country of origin; origin; herkunftsland; ursprungsland; herkunft; pays d'origine; origine;
    kraj pochodzenia; 原産国; 生産国; paese di origine; país de origen; origen; land van herkomst;
    země původu; страна; страна происхождения`,
  warranty: `warranty; guarantee; garantie; gewährleistung; gwarancja; 保証; 保証期間; garanzia; garantía;
    záruka; гарантия`,
  season: `season; saison; sezon; シーズン; 季節; stagione; temporada; seizoen`,
  audience: `audience; gender; target group; zielgruppe; geschlecht; public; genre; grupa docelowa; płeć; 対象; 性別; genere;
    sesso; género; público; doelgroep; geslacht`,
  releaseDate: `release date; released; launch date; erscheinungsdatum; erscheinungstermin; date de sortie; data premiery;
    発売日; data di uscita; fecha de lanzamiento; verschijningsdatum`,
  created: `created; created at; date created; creation date; angelegt am; erstellt am; erstelldatum; créé le;
    date de création; utworzono; data utworzenia; 登録日; 作成日; creato il; data creazione; fecha de creación; creado;
    aangemaakt op`,
  updated: `updated; updated at; last modified; modified; geändert am; änderungsdatum; modifié le; data modyfikacji; 更新日;
    modificato il; fecha de modificación; gewijzigd op`,
  note: `note; notes; remark; remarks; comment; comments; bemerkung; bemerkungen; anmerkung; kommentar; notiz; hinweis;
    remarque; remarques; commentaire; uwagi; uwaga; komentarz; 備考; メモ; コメント; nota; annotazioni; commento; notas;
    observaciones; comentario; opmerking; opmerkingen;
    poznámka; примечание; комментарий`,
  bundleItems: `bundle items; components; set items; stückliste; komponenten; composants; składniki; セット内容; componenti;
    componentes; onderdelen`,
  attributeType: `type of attribute; data type; attribute type; type; datentyp; attributtyp; typ; type de donnée; typ danych;
    tipo; tipo de dato; datatype`,
  order: `order; sort order; position; reihenfolge; sortierung; ordre; kolejność; 並び順; ordine; orden; volgorde`,
} as const;

export type Concept = keyof typeof WORDS;

/** The words by concept, as they are written. */
export const DICTIONARY: readonly (readonly [Concept, readonly string[]])[] = (
  Object.entries(WORDS) as [Concept, string][]
).map(([concept, words]) => [concept, words.split(';').map((word) => word.trim().replaceAll(/\s+/g, ' '))]);

/** What such a column says can hide items, sell them too cheap or sell what is not there. */
export const DAMAGING: ReadonlySet<Concept> = new Set([
  'price',
  'listPrice',
  'cost',
  'stock',
  'status',
  'active',
  'delete',
]);
