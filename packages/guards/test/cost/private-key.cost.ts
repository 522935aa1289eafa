import { growthOf, QUADRATIC, repeated } from '@millrace/testing/growth'
import { expect, test } from 'vitest'
import { Scanner } from '../../src/scanner/scanner.ts'
import { privateKey } from '../../src/secrets/private-key.ts'

const scanner = new Scanner(privateKey)

test.each([
  '-----BEGIN RSA PRIVATE KEY-----\n',
  '-----BEGIN RSA PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0\n',
  '-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n',
  '\n',
  'aB3 ',
  'aB3\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n',
  'aB3\n',
  '-----',
])('takes time in proportion to a key that goes on with %j', (unit) => {
  const begin = '-----BEGIN RSA PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0\n'
  expect(growthOf((length) => scanner.detect(begin + repeated(unit, length)))).toBeLessThan(QUADRATIC)
})
