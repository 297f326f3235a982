package contracts

// MaxMessageBytes is the longest message that the message bus has to carry: the
// max_payload of its NATS servers. A reply is one message, and lists come whole:
// 10,000 products with all of their fields take about 3 MiB. NATS itself carries
// 1 MiB unless told otherwise, and advises against more than 8 MiB.
const MaxMessageBytes = 8 << 20
