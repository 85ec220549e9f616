// Receives webhooks of Longshore and verifies them. It needs Go and no modules. WEBHOOK_SECRET is the signingSecret.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const tolerance = 5 * time.Minute

// An event is sent again when an answer is lost. Keep the ids in your database, so that they outlive this process.
var seen sync.Map

// refusal returns why a request is refused; "": it comes from Longshore, and nobody has changed it.
func refusal(key []byte, header http.Header, body []byte) string {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return "the timestamp is too old or missing"
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	// After a rotation there are two signatures, of the new secret and of the old one.
	for _, signature := range strings.Fields(header.Get("webhook-signature")) {
		version, digest, _ := strings.Cut(signature, ",")
		given, err := base64.StdEncoding.DecodeString(digest)
		if version == "v1" && err == nil && hmac.Equal(given, mac.Sum(nil)) {
			return ""
		}
	}
	return "the signature is wrong"
}

func main() {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))
	if err != nil || len(key) == 0 {
		panic("set WEBHOOK_SECRET to the signingSecret of the webhook")
	}
	handler := func(response http.ResponseWriter, request *http.Request) {
		// The signature is over these bytes: do not parse and write them again before it is verified.
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return
		}
		if refused := refusal(key, request.Header, body); refused != "" {
			fmt.Println("refused: " + refused)
			http.Error(response, refused, http.StatusUnauthorized)
			return
		}
		// Answer at once. Do your work afterwards.
		response.WriteHeader(http.StatusNoContent)
		if _, known := seen.LoadOrStore(request.Header.Get("webhook-id"), true); known {
			return
		}
		var event struct {
			Event   string          `json:"event"`
			Payload json.RawMessage `json:"payload"`
		}
		if json.Unmarshal(body, &event) == nil {
			fmt.Printf("received: %s %s\n", event.Event, event.Payload)
		}
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "4000"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		panic(err)
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	panic(http.Serve(listener, http.HandlerFunc(handler)))
}
