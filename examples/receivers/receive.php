<?php
// Receives webhooks of Longshore and verifies them. It needs PHP 8 and no packages. WEBHOOK_SECRET is the signingSecret.
// Run it with: php -S 127.0.0.1:4000 receive.php

const TOLERANCE_SECONDS = 300;

/** Returns why a request is refused; null: it comes from Longshore, and nobody has changed it. */
function refusal(string $secret, string $body): ?string
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > TOLERANCE_SECONDS) {
        return 'the timestamp is too old or missing';
    }
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret));
    $expected = base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    // After a rotation there are two signatures, of the new secret and of the old one.
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $signature) {
        [$version, $digest] = explode(',', $signature, 2) + ['', ''];
        if ($version === 'v1' && hash_equals($expected, $digest)) {
            return null;
        }
    }
    return 'the signature is wrong';
}

$secret = getenv('WEBHOOK_SECRET') ?: throw new Exception('set WEBHOOK_SECRET to the signingSecret of the webhook');
// The signature is over these bytes: do not parse and write them again before it is verified.
$body = file_get_contents('php://input');
$refused = refusal($secret, $body);
if ($refused !== null) {
    http_response_code(401);
    error_log("refused: $refused");
    return;
}
// Answer at once, and do your work in another process. An event is sent again when an answer is lost: keep
// $_SERVER['HTTP_WEBHOOK_ID'] in your database, and ignore an id that is there already.
http_response_code(204);
$event = json_decode($body, true, flags: JSON_BIGINT_AS_STRING);
error_log("received: {$event['event']} " . json_encode($event['payload']));
