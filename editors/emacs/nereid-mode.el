;;; nereid-mode.el --- Triton's tensor IR: colors, and the language server of Nereid  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;; Package-Requires: ((emacs "28.1"))

;;; Commentary:

;; Opens .ttir, .ttgir and .mlir files in `nereid-mode'.  `M-x eglot' starts nereid-lsp-server, which must be in `exec-path'.

;;; Code:

(defconst nereid-mode--name "[A-Za-z0-9_$.]+")

(defconst nereid-mode--operation
  (concat "\\(?:^\\|[={}]\\)[ \t]*"
          "\\(\"[^\"\\\n]*\"[ \t]*(\\|[A-Za-z_][A-Za-z0-9_$]*\\(?:\\.[A-Za-z0-9_$]+\\)+\\|module\\_>\\)"))

(defconst nereid-mode--types
  (concat "\\(?:\\_<\\|[0-9?]x\\)"
          "\\([su]?i[0-9]+\\|f[0-9][0-9A-Z]*[a-z]*\\|bf16\\|tf32\\|index\\|none\\|tensor\\|memref\\|vector\\|tuple\\|complex\\)\\_>"))

(defconst nereid-mode--keywords
  (regexp-opt '("public" "private" "attributes" "loc" "callsite" "fused" "at" "to" "step" "iter_args" "else" "do" "dense"
                "array" "affine_map" "true" "false" "unit" "mutable" "noinline")
              'symbols))

;; Emacs 28 has no face for properties.
(defconst nereid-mode--attribute-face
  (if (facep 'font-lock-property-name-face) 'font-lock-property-name-face 'font-lock-constant-face))

(defconst nereid-mode--font-lock
  `((,(concat "%[-A-Za-z0-9_$.]+") . font-lock-variable-name-face)
    (,(concat "@" nereid-mode--name) . font-lock-function-name-face)
    ("\\^[-A-Za-z0-9_$.]+" . font-lock-constant-face)
    (,(concat "!" nereid-mode--name) . font-lock-type-face)
    (,(concat "#" nereid-mode--name) . font-lock-preprocessor-face)
    ("\\_<\\([A-Za-z_][-A-Za-z0-9_$.]*\\)[ \t]*=" 1 nereid-mode--attribute-face)
    (,nereid-mode--operation 1 font-lock-builtin-face)
    (,nereid-mode--types 1 font-lock-type-face)
    (,nereid-mode--keywords . font-lock-keyword-face)))

(defvar nereid-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?/ ". 12" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?\" "\"" table)
    (dolist (symbol '(?_ ?$ ?. ?-))
      (modify-syntax-entry symbol "_" table))
    table))

;;;###autoload
(define-derived-mode nereid-mode prog-mode "Nereid"
  "Mode for Triton's tensor IR."
  (setq-local comment-start "// ")
  (setq-local comment-start-skip "//+[ \t]*")
  (setq-local indent-tabs-mode nil)
  (setq-local font-lock-defaults '(nereid-mode--font-lock)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.\\(?:ttg?ir\\|mlir\\)\\'" . nereid-mode))

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(nereid-mode . ("nereid-lsp-server" "--stdio"))))

(provide 'nereid-mode)

;;; nereid-mode.el ends here
