/* TLS with OpenSSL through hiredis_ssl. hiredis itself does not compare the certificate with the host's name, so the
 * session is created here. The handshake continues with the first writes and reads, under their deadline. */
#include "python-free-bindings/launch/store/redis/tls.h"

#ifdef NEREID_REDIS_TLS

#include <hiredis/hiredis_ssl.h>
#include <openssl/ssl.h>

bool nereid_redis_has_tls(void) {
  return true;
}

static SSL *create_session(const char *host) {
  SSL_CTX *context = SSL_CTX_new(TLS_client_method());
  SSL *session = context && SSL_CTX_set_default_verify_paths(context) == 1 ? SSL_new(context) : NULL;
  SSL_CTX_free(context); /* the session keeps a reference */
  if (!session)
    return NULL;
  SSL_set_verify(session, SSL_VERIFY_PEER, NULL);
  if (SSL_set1_host(session, host) == 1 && SSL_set_tlsext_host_name(session, host) == 1)
    return session;
  SSL_free(session);
  return NULL;
}

nereid_status_t nereid_redis_start_tls(redisContext *context, const char *host, nereid_message_t *message) {
  SSL *session = create_session(host);
  if (!session)
    return nereid_message_set(message, NEREID_ERROR_IO, "cannot create a TLS session for '%s'", host);
  if (redisInitiateSSL(context, session) == REDIS_OK) /* owns the session */
    return NEREID_OK;
  return nereid_message_set(message, NEREID_ERROR_IO, "the TLS handshake with the Redis server failed: %.200s",
                            context->errstr);
}

#else

bool nereid_redis_has_tls(void) {
  return false;
}

nereid_status_t nereid_redis_start_tls(redisContext *context, const char *host, nereid_message_t *message) {
  (void)context, (void)host;
  return nereid_message_set(message, NEREID_ERROR_UNSUPPORTED, "this build's hiredis has no TLS (rediss://)");
}

#endif
