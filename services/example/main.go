// Command example is the Corner Shop: the small web application that the
// worked example of services/SITES.md points an integration at. Its one
// customer is pat, with the password corner.
package main

import (
	"log"
	"net/http"
	"time"
)

func main() {
	const address = "127.0.0.1:8310"
	log.Printf("the Corner Shop is open at http://%s", address)
	server := &http.Server{Addr: address, Handler: newShop(), ReadHeaderTimeout: 10 * time.Second}
	log.Fatal(server.ListenAndServe())
}
