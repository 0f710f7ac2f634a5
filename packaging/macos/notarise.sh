#!/bin/sh
# Sign, pack and notarise dist/Keepsake.app. Has never been run: it needs macOS and an Apple developer account.
#
#   SIGNING_IDENTITY   name of the "Developer ID Application" certificate in the keychain
#   NOTARY_PROFILE     profile stored by `xcrun notarytool store-credentials`
set -eu

: "${SIGNING_IDENTITY:?Name the certificate to sign with in SIGNING_IDENTITY.}"
: "${NOTARY_PROFILE:?Name the stored credentials of notarytool in NOTARY_PROFILE.}"

here=$(cd "$(dirname "$0")" && pwd)
dist=$(cd "$here/../../dist" && pwd)
program="$dist/Keepsake.app"
image="$dist/Keepsake.dmg"

# From the inside out: a signature covers what lies in the folder at that moment.
find "$program/Contents" -type f \( -name '*.so' -o -name '*.dylib' \) -exec \
    codesign --force --timestamp --options runtime --sign "$SIGNING_IDENTITY" {} +
codesign --force --timestamp --options runtime --entitlements "$here/entitlements.plist" \
    --sign "$SIGNING_IDENTITY" "$program"
codesign --verify --deep --strict "$program"

rm -f "$image"
hdiutil create -volname Keepsake -srcfolder "$program" -format UDZO "$image"
codesign --timestamp --sign "$SIGNING_IDENTITY" "$image"
xcrun notarytool submit "$image" --keychain-profile "$NOTARY_PROFILE" --wait
xcrun stapler staple "$image"
spctl --assess --type open --context context:primary-signature "$image"
"$program/Contents/MacOS/keepsake" --self-test
