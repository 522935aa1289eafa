import type { PatternRecognizer } from '@millrace/guards/scanner'
import { evidence, isBehindGroup } from './evidence.ts'

/** MAC addresses (IEEE 802 EUI-48), with one kind of separator. */
export const mac: PatternRecognizer[] = [
  {
    type: 'mac_address',
    pattern:
      /(?<![\w.-])(?:[0-9A-F]{2}(?::[0-9A-F]{2}){5}|[0-9A-F]{2}(?:-[0-9A-F]{2}){5}|[0-9A-F]{2}(?: [0-9A-F]{2}){5}|[0-9A-F]{2}(?:\.[0-9A-F]{2}){5}|[0-9A-F]{6}-[0-9A-F]{6}|[0-9A-F]{4}[.:][0-9A-F]{4}[.:][0-9A-F]{4})(?![\w:-])/i,
    score: (candidate, before) => {
      if (isShared(candidate) || isBehindGroup(before)) return 0
      if (/^..(?: |\.)|^.{6}-|^.{4}:/.test(candidate)) return evidence.faint
      return candidate.includes('.') && !/[a-f]/i.test(candidate) ? evidence.format : 0.9
    },
    context: ['mac', 'mac address', 'hardware address', 'ethernet', 'device'],
  },
  {
    type: 'mac_address',
    id: 'bare_mac_address',
    pattern: /(?<![\w.-])[0-9A-F]{12}(?![\w:-])/i,
    score: (candidate, before) =>
      /[a-f]/i.test(candidate) && !isShared(candidate) && !isBehindGroup(before) ? evidence.faint : 0,
    context: ['mac', 'mac address', 'hardware address', 'ethernet', 'bssid'],
  },
]

/**
 * Whether the address belongs to no single device: all zeros, broadcast, and the multicast groups of IPv4, IPv6,
 * bridges and Cisco.
 */
function isShared(candidate: string): boolean {
  return /^(?:f{12}|0{12}|01005e|3333|0180c2|01000ccc)/i.test(candidate.replace(/[:.-]/g, ''))
}
