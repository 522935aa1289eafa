import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'

/** Copies a text, and confirms it for a moment. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), 1_500)
    return () => clearTimeout(timer)
  }, [isCopied])
  const Icon = isCopied ? Check : Copy
  return (
    <button
      type="button"
      className="button quiet"
      onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
    >
      <Icon aria-hidden size={14} /> {isCopied ? 'Copied' : label}
    </button>
  )
}
