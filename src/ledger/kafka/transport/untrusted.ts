// Which faults of a connection say that the certificate at its other end is not trusted, in the words of OpenSSL and Node.

const codes = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_NOT_YET_VALID',
  'CERT_HAS_EXPIRED',
  'CERT_SIGNATURE_FAILURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

export function isUntrusted(error: unknown): boolean {
  return error instanceof Error && 'code' in error && codes.has(String(error.code));
}
